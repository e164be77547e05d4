import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { revokeApiKey } from '@parley/chat/access/api-keys'
import { remindDue } from '@parley/chat/messages/remind'
import { eventSubject, membersChangeSubject } from '@parley/contracts/bus/subjects'
import { listEvents } from '@parley/contracts/operations/integrations/events'
import { feedEvents } from '@parley/contracts/resources/feed-event'
import { serverEvents } from '@parley/contracts/socket/server-events'
import { digest } from '@parley/db/apps/apps'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

interface Item {
  cursor: string
  id: string
  event: string
  timeMS: number
  room?: string
  user?: string
  // oxlint-disable-next-line typescript/no-explicit-any -- payloads of every shape
  data: any
}
interface Page {
  data: Item[]
  cursor: string
}

describe("the integrator's event feed", () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  async function page(query: Record<string, string | number> = {}, of = gateway): Promise<Page> {
    const text = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) text.set(name, String(value))
    const { status, body } = await of.admin('GET', `/admin/events?${text.toString()}`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(listEvents.result.safeParse(body.result).error, undefined)
    return body.result
  }
  const now = async (of = gateway) => (await page({}, of)).cursor
  /** Reads on until the events are there. */
  async function readUntil(after: string, isThere: (items: Item[]) => boolean, query = {}): Promise<Item[]> {
    const items: Item[] = []
    const deadlineMS = performance.now() + 60_000
    for (let cursor = after; !isThere(items); ) {
      assert.ok(performance.now() < deadlineMS, `after a minute only ${names(items).join(', ')}`)
      const next = await page({ ...query, after: cursor, wait: 20 })
      items.push(...next.data)
      cursor = next.cursor
    }
    return items
  }
  const names = (items: Item[]) => items.map(({ event }) => event)
  const send = async (room: string, sender: TestUser, message: unknown = 'Hello'): Promise<string> => {
    const { status, body } = await gateway.admin('POST', '/messages', {
      ...{ room, sender: sender.id, message, messageType: 'text' },
    })
    assert.equal(status, 200, JSON.stringify(body))
    return body.result._id
  }

  test('messages that are unreadable or not part of the feed neither delay readers nor lose events', async () => {
    const alice = await gateway.newUser()
    const room = await gateway.newRoom([alice])
    const after = await now()
    const { bus } = gateway.chat
    const publish = (subject: string) => bus.stream.publish(subject, 'no JSON')
    await publish(membersChangeSubject(gateway.app, room))
    await publish(
      eventSubject({ app: gateway.app, room }, 'chat message').replace(/[^.]+$/, 'of%20a%20newer%20release'),
    )
    const id = await send(room, alice)
    await readUntil(after, (items) => items.some(({ data }) => data._id === id))
    // None of that is in its memory.
    const later = await gateway.another()
    try {
      const { data } = await page({ after, limit: 1, types: 'members,chat message' }, later)
      assert.deepEqual([data.length, data[0]?.data._id], [1, id])
      const { data: all } = await page({ after, limit: 1 }, later)
      assert.deepEqual([all.length, all[0]?.data._id], [1, id])
    } finally {
      await later.stop()
    }
  })

  test('starts at the present, and has every kind of event in order, matching the contract', async () => {
    const begin = await page()
    assert.deepEqual(begin.data, [])
    const alice = await gateway.newUser(undefined, { nickname: 'Alice' })
    const bob = await gateway.newUser()
    const room = await gateway.newRoom([alice])
    const ok = async (calling: Promise<{ status: number; body: unknown }>) => {
      const { status, body } = await calling
      assert.equal(status, 200, JSON.stringify(body))
    }
    await ok(gateway.admin('POST', `/rooms/${room}/members`, { invitees: [bob.id] }))
    const id = await send(room, alice)
    await ok(alice.call('PUT', `/rooms/${room}/lastRead`, { message: id }))
    await ok(gateway.admin('DELETE', `/rooms/${room}/messages/${id}`))
    const owner = `/blockStatus/room/${room}/${encodeURIComponent(bob.id)}`
    await ok(gateway.admin('POST', owner))
    await ok(gateway.admin('DELETE', owner))
    await ok(alice.call('POST', `/blockStatus/my/${bob.id}`))
    await ok(alice.call('DELETE', `/blockStatus/my/${bob.id}`))
    await ok(gateway.admin('POST', '/admin/groups', { _id: 'a group', nickname: 'Group', members: [bob.id] }))
    await ok(gateway.admin('DELETE', '/admin/groups/a%20group'))
    await ok(gateway.admin('POST', '/admin/clients', { _id: bob.id, nickname: 'Bobby' }))
    const several = { data: [{ _id: alice.id, nickname: 'Alicia' }, { _id: `${alice.id} 2` }] }
    await ok(gateway.admin('POST', '/admin/clients/list', several))
    const before = await readUntil(begin.cursor, (all) => all.filter(({ event }) => event === 'user').length === 5)
    // Removes the events of the profile.
    await ok(gateway.admin('DELETE', `/admin/clients/${bob.id}`))
    const isLeft = ({ event, data }: Item) => event === 'members' && data.event === 'DELETE_MEMBERS'
    const after = await readUntil(before.at(-1)?.cursor ?? '', (all) => all.some(isLeft))
    const items = [...before, ...after]

    for (const { event, data } of items) {
      assert.equal(feedEvents[event]?.payload.safeParse(data).error, undefined, `${event}: ${JSON.stringify(data)}`)
    }
    const wanted = [
      ...['user', 'user', 'room', 'members', 'room', 'members', 'chat message', 'lastRead', 'messageDeleted', 'ban'],
      ...['unban', 'block', 'unblock', 'group', 'groupDeleted', 'user', 'userDeleted', 'members'],
    ]
    const shown = names(items).filter((name) => wanted.includes(name))
    for (const [i, name] of wanted.entries())
      assert.equal(shown.includes(name), true, `${i}: ${name} of ${shown.join(', ')}`)
    const about = (event: string) => items.filter((item) => item.event === event)
    assert.deepEqual(
      about('user')
        .slice(0, 3)
        .map(({ user }) => user),
      [alice.id, bob.id, bob.id],
    )
    const listed = about('user').slice(3)
    assert.deepEqual(
      Object.fromEntries(listed.map(({ user, data }) => [user, data.nickname])),
      { [alice.id]: 'Alicia', [`${alice.id} 2`]: '' },
      'of a list of users, each',
    )
    assert.deepEqual(about('user').at(0)?.data.nickname, 'Alice')
    assert.deepEqual(about('user').at(2)?.data.nickname, 'Bobby')
    assert.deepEqual(
      about('members').map(({ data }) => [data.event, data.room, data.members]),
      [
        ['ADD_MEMBERS', room, [alice.id]],
        ['ADD_MEMBERS', room, [bob.id]],
        ['DELETE_MEMBERS', room, [bob.id]],
      ],
    )
    assert.deepEqual(
      about('chat message').map((item) => [item.id, item.room, item.data._id]),
      [[id, room, id]],
    )
    const order = ['chat message', 'messageDeleted', 'ban', 'unban', 'block', 'unblock', 'group', 'groupDeleted']
    assert.deepEqual(
      names(items).filter((name) => order.includes(name)),
      order,
    )
  })

  test('has every socket event in the stream, as sockets get it', async () => {
    const after = await now()
    const [alice, bob] = [await gateway.newUser(), await gateway.newUser()]
    const [room, other] = [await gateway.newRoom([alice, bob]), await gateway.newRoom([alice], { owner: alice.id })]
    const id = await send(room, alice)
    const inThread = { room, message: 'x', messageType: 'text', replyTo: id, thread: true }
    await gateway.admin('POST', '/messages', { ...inThread, sender: bob.id })
    const reply = await gateway.admin('POST', '/messages', { ...inThread, sender: alice.id })
    await bob.call('PUT', `/messages/${id}/thread/lastRead`, { message: reply.body.result['_id'] })
    await alice.call('POST', `/messages/${id}/reaction`, { reaction: '👍' })
    await bob.call('PUT', `/rooms/${room}/lastRead`, { message: id })
    await bob.call('POST', `/roomPrefs/${room}`, { folder: 'work' })
    await bob.call('POST', '/me/pref/theme', { data: 'dark' })
    await bob.call('DELETE', '/me/pref/theme')
    await bob.call('PUT', '/me/notifications', { level: 'mentions' })
    await bob.call('POST', '/me/reminders', { message: id, remindAtMS: Date.now() + 3_600_000 })
    await gateway.chat.db.reminders.updateMany({}, { $set: { nextMS: Date.now() } })
    await remindDue(gateway.chat)
    await bob.call('POST', '/messages/user-delete', { room, messages: [id] })
    await alice.call('POST', `/rooms/${other}/members`, { invitees: [bob.id], invitationRequired: true })
    await gateway.admin('POST', `/rooms/${room}/delete/members`, { members: [bob.id] })
    await gateway.admin('DELETE', `/rooms/${room}/messages/${id}`)

    const captured = Object.entries(serverEvents).flatMap(([name, { captured: isKept }]) => (isKept ? [name] : []))
    const items = await readUntil(after, (all) => captured.every((name) => names(all).includes(name)))
    for (const { event, data } of items) {
      assert.equal(feedEvents[event]?.payload.safeParse(data).error, undefined, `${event}: ${JSON.stringify(data)}`)
    }
    const { data } = await page({ after, types: 'thread message' })
    assert.deepEqual(
      data.map((item) => [item.room, item.data.threadOf]),
      [
        [room, id],
        [room, id],
      ],
    )
  })

  test('can be replayed: a cursor returns the same events again, page by page, on any gateway', async () => {
    const alice = await gateway.newUser()
    const room = await gateway.newRoom([alice])
    const after = await now()
    const sent: string[] = []
    for (let i = 0; i < 7; i++) sent.push(await send(room, alice, i))
    const items = await readUntil(after, (all) => all.length === 7, { types: 'chat message' })
    assert.deepEqual(
      items.map(({ data }) => data._id),
      sent,
    )
    const other = await gateway.another()
    try {
      // They are not in its memory.
      const first = await page({ after, limit: 3, types: 'chat message' }, other)
      assert.deepEqual(first.data, items.slice(0, 3))
      const rest = await page({ after: first.cursor, types: 'chat message' }, other)
      assert.deepEqual(rest.data, items.slice(3))
      assert.deepEqual((await page({ after: rest.cursor, types: 'chat message' }, other)).data, [])
    } finally {
      await other.stop()
    }
  })

  test('a waiting reader gets an event as it happens, and a caught-up one costs no query', async () => {
    const alice = await gateway.newUser()
    const room = await gateway.newRoom([alice])
    const after = (await page({ after: await now(), wait: 0 })).cursor
    await readUntil(after, () => true)
    const readers = (wait: number) =>
      Promise.all(Array.from({ length: 50 }, () => page({ after, types: 'chat message', wait })))
    const { nats } = gateway.chat.bus
    // The fewest of several runs, since this gateway also sends other messages.
    let fewest = Number.POSITIVE_INFINITY
    for (let run = 0; run < 5 && fewest >= 5; run++) {
      const before = nats.stats().outMsgs
      for (const { data } of await readers(1)) assert.deepEqual(data, [])
      fewest = Math.min(fewest, nats.stats().outMsgs - before)
    }
    assert.ok(fewest < 5, `${fewest} messages to NATS`)
    const waiting = readers(50)
    const id = await send(room, alice)
    for (const { data } of await waiting)
      assert.deepEqual(
        data.map((item) => item.data._id),
        [id],
      )
  })

  test("has only its app's events", async () => {
    const other = await startTestGateway()
    try {
      const [here, there] = [await now(), await now(other)]
      const alice = await gateway.newUser()
      const eve = await other.newUser()
      const mine = await readUntil(here, (all) => all.length > 0)
      assert.deepEqual(
        mine.map(({ user }) => user),
        [alice.id],
      )
      const theirs = await page({ after: here, wait: 20 }, other)
      assert.deepEqual(
        theirs.data.map(({ user }) => user),
        [eve.id],
      )
      assert.deepEqual((await page({ after: there }, other)).data, theirs.data)
    } finally {
      await other.stop()
    }
  })

  test('bad input is refused, naming the field', async () => {
    const refused = async (query: string, code: string, status = 400) => {
      const answer = await gateway.admin('GET', `/admin/events?${query}`)
      assert.equal(answer.status, status, JSON.stringify(answer.body))
      assert.equal(answer.body.error.code, code)
      return answer.body.error
    }
    assert.match((await refused('after=nonsense!', 'INVALID_QUERY')).message, /^after/)
    assert.match(
      (await refused(`after=${await now()}&types=chat%20message,nothing`, 'INVALID_QUERY')).message,
      /nothing/,
    )
    assert.match((await refused('wait=51', 'INVALID_QUERY')).message, /wait/)
    assert.match((await refused('limit=0', 'INVALID_QUERY')).message, /limit/)
    const gone = await refused('after=zzzzzzzzz-1', 'CURSOR_GONE', 410)
    assert.deepEqual((await gateway.admin('GET', `/admin/events?after=${gone.oldest}`)).status, 200)
    const { status } = await gateway.anonymous('GET', '/admin/events')
    assert.equal(status, 401)
  })

  test('as Server-Sent Events it resumes from Last-Event-ID, and ends with the key', async () => {
    const alice = await gateway.newUser()
    const room = await gateway.newRoom([alice])
    const after = await now()
    const first = await send(room, alice, 'one\ntwo')
    const open = async (headers: Record<string, string>, key = gateway.apiKey) => {
      const answer = await fetch(`${gateway.url}/admin/events?types=chat%20message&after=${after}`, {
        headers: { 'im-api-key': key, accept: 'text/event-stream', ...headers },
      })
      assert.equal(answer.status, 200)
      assert.match(String(answer.headers.get('content-type')), /^text\/event-stream/)
      return sseReader(answer)
    }
    const stream = await open({})
    const one = await stream.next('chat message')
    assert.deepEqual([one.data._id, one.data.message], [first, 'one\ntwo'])
    const second = await send(room, alice)
    assert.equal((await stream.next('chat message')).data._id, second)
    await stream.close()

    const name = randomUUID()
    const created = { digest: digest(name), name, permissions: [], createdAt: new Date() }
    await gateway.chat.db.apps.updateOne({ _id: gateway.app }, { $push: { apiKeys: created } })
    const resumed = await open({ 'last-event-id': one.cursor }, name)
    assert.equal((await resumed.next('chat message')).data._id, second)
    await revokeApiKey(gateway.chat, gateway.app, name, { byName: true })
    await send(room, alice)
    assert.equal((await resumed.next('parley-error')).code, 'INVALID_API_KEY')
    await resumed.ended()
  })
})

/** Reads Server-Sent Events of a response, one at a time. */
function sseReader(answer: Response) {
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  async function block(): Promise<string | undefined> {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const found = text.slice(0, end)
        text = text.slice(end + 2)
        return found
      }
      const { done, value } = await reader.read()
      if (done) return undefined
      text += decoder.decode(value, { stream: true })
    }
  }
  return {
    // oxlint-disable-next-line typescript/no-explicit-any -- payloads of every shape
    async next(event: string): Promise<any> {
      for (;;) {
        const found = await block()
        assert.ok(found !== undefined, `no ${event}: the stream has ended`)
        const fields = new Map(
          found.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        )
        if (fields.get('event') === event) return JSON.parse(String(fields.get('data')))
      }
    },
    async ended(): Promise<void> {
      while ((await block()) !== undefined) continue
    },
    close: () => reader.cancel(),
  }
}
