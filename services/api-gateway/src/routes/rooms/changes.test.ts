import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { streamBounds } from '@parley/bus/stream/app-events'
import { streamName } from '@parley/contracts/bus/streams'
import { eventSubject } from '@parley/contracts/bus/subjects'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, startWithAliceAndBob, type TestGateway, type TestUser } from '../../test-gateway.ts'

interface Changed {
  room: { _id: string; unread: number; name: string; lastMessage?: { _id: string }; pref?: { folder: string } }
  seq: number
  messages: boolean
  threads: string[]
  lastRead: { memberID: string; messageID: string }[]
}

interface Changes {
  rooms: Changed[]
  removed: string[]
  invitations: { _id: string; inviter: string; room: string }[]
  prefs: Record<string, unknown>
  deletedPrefs: string[]
  cursor: string
  complete: boolean
}

describe('GET /me/changes', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  beforeAll(async () => {
    ;({ gateway, alice, bob } = await startWithAliceAndBob())
  })
  afterAll(() => gateway.stop())

  async function changes(since: string, query = ''): Promise<Changes> {
    const { status, body } = await bob.call('GET', `/me/changes?since=${since}${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.result
  }
  async function send(room: string, fields = {}): Promise<string> {
    const { body } = await gateway.admin('POST', '/messages', {
      ...{ room, sender: 'alice', message: 'x', messageType: 'text', ...fields },
    })
    return String(body.result['_id'])
  }
  /** A cursor after everything so far; events within the margin before it come again. */
  async function begin(): Promise<string> {
    const { status, body } = await bob.call('GET', '/me/changes?since=0')
    assert.equal(status, 410)
    assert.equal(body.error.code, 'CURSOR_GONE')
    return String((body.error as { oldest?: string }).oldest)
  }
  /** A cursor after the whole stream. */
  async function end(): Promise<string> {
    const { db, outbox } = gateway.chat
    // The outbox can still hold events of this state.
    while ((await db.outbox.countDocuments({})) > 0) await pause(20)
    await outbox.drained()
    return `${Date.now()}-${(await streamBounds(gateway.chat.bus, streamName(0))).lastSeq + 1}`
  }
  /** Polls until every acknowledged event has passed through the stream. */
  async function untilSeen(since: string, isSeen: (found: Changes) => boolean): Promise<Changes> {
    for (;;) {
      const found = await changes(since)
      if (isSeen(found)) return found
    }
  }
  const of = ({ rooms }: Changes, id: string) => rooms.find(({ room }) => room._id === id)

  test('returns the rooms that changed, with their changes, and no others', async () => {
    const [talked, read, named, sorted, quiet] = (await Promise.all(
      Array.from({ length: 5 }, () => gateway.newRoom([alice, bob])),
    )) as [string, string, string, string, string]
    const message = await send(read)
    const cursor = await begin()
    const last = await send(talked)
    await alice.call('PUT', `/rooms/${read}/lastRead`, { message })
    await gateway.admin('PUT', `/rooms/${named}`, { name: 'new name' })
    await bob.call('POST', `/roomPrefs/${sorted}`, { folder: 'work' })
    const found = await untilSeen(
      cursor,
      (all) => of(all, talked)?.room.lastMessage?._id === last && of(all, sorted)?.room.pref?.folder === 'work',
    )
    assert.equal(found.complete, true)
    assert.equal(of(found, talked)?.messages, true)
    assert.equal(of(found, talked)?.seq, 1)
    assert.equal(of(found, talked)?.room.unread, 1)
    assert.deepEqual(of(found, read)?.lastRead, [{ memberID: 'alice', messageID: message }])
    assert.equal(of(found, named)?.room.name, 'new name')
    assert.deepEqual(found.removed, [])
    const later = `${Number(found.cursor) + 15_000}`
    assert.deepEqual((await changes(later)).rooms, [], 'less the margin, nothing happened since')
    assert.ok(quiet)
  })

  test('names threads with new, changed or deleted messages, apart from those of the room', async () => {
    const quiet = await gateway.newRoom([alice, bob])
    const roots = await Promise.all(Array.from({ length: 5 }, () => send(quiet)))
    const [sent, edited, deleted, hidden, untouched] = roots as [string, string, string, string, string]
    const inThread = (root: string) => send(quiet, { replyTo: root, thread: true })
    const [toEdit, toDelete, toHide] = [await inThread(edited), await inThread(deleted), await inThread(hidden)]
    await inThread(untouched)
    const since = await end()
    await inThread(sent)
    await alice.call('POST', `/messages/${toEdit}/reaction`, { reaction: '👍' })
    await bob.call('POST', '/messages/user-delete', { room: quiet, messages: [toHide] })
    await gateway.admin('DELETE', `/rooms/${quiet}/messages/${toDelete}`)
    const changed = [sent, edited, deleted, hidden]
    const found = await untilSeen(since, (all) => changed.every((root) => of(all, quiet)?.threads.includes(root)))
    assert.deepEqual(new Set(of(found, quiet)?.threads), new Set(changed))
    assert.equal(of(found, quiet)?.messages, false)
    await gateway.admin('DELETE', `/rooms/${quiet}/messages/${sent}`)
    await untilSeen(since, (all) => of(all, quiet)?.messages === true)
  })

  test('names the threads in which the caller has read', async () => {
    const room = await gateway.newRoom([alice, bob])
    const root = await send(room, { sender: 'bob' })
    const reply = await send(room, { replyTo: root, thread: true })
    const since = await end()
    await bob.call('PUT', `/messages/${root}/thread/lastRead`, { message: reply })
    const found = await untilSeen(since, (all) => of(all, room) !== undefined)
    assert.deepEqual(of(found, room)?.threads, [root])
    assert.equal(of(found, room)?.messages, false)
  })

  test('returns new invitations that are still open', async () => {
    const [open, declined, gone] = await Promise.all(
      Array.from({ length: 3 }, () => gateway.newRoom([alice], { owner: 'alice' })),
    )
    const since = await begin()
    for (const room of [open, declined, gone]) {
      await alice.call('POST', `/rooms/${room}/members`, { invitees: ['bob'], invitationRequired: true })
    }
    await bob.call('DELETE', `/rooms/${declined}/invitations`)
    await gateway.admin('DELETE', `/rooms/${gone}`)
    await send(String(open))
    await bob.call('POST', '/me/pref/after them', { data: 1 })
    const found = await untilSeen(since, ({ prefs }) => Object.hasOwn(prefs, 'after them'))
    assert.deepEqual(
      found.invitations.map(({ inviter, room }) => [inviter, room]),
      [['alice', open]],
    )
    assert.equal(of(found, String(open)), undefined, 'bob is no member yet')
    assert.ok(!found.removed.includes(String(open)))
  })

  test('names the rooms that the caller was removed from, without their content', async () => {
    const room = await gateway.newRoom([alice, bob])
    const cursor = await begin()
    await send(room)
    await gateway.admin('POST', `/rooms/${room}/delete/members`, { members: ['bob'] })
    const found = await untilSeen(cursor, ({ removed }) => removed.includes(room))
    assert.equal(of(found, room), undefined)
  })

  test('returns rooms that were deleted or left as removed', async () => {
    const [gone, left] = [await gateway.newRoom([alice, bob]), await gateway.newRoom([alice, bob])]
    const cursor = await begin()
    await gateway.admin('DELETE', `/rooms/${gone}`)
    await bob.call('POST', `/rooms/${left}/delete/members`, { members: ['bob'] })
    const found = await untilSeen(cursor, ({ removed }) => [gone, left].every((room) => removed.includes(room)))
    assert.ok(!of(found, gone) && !of(found, left))
  })

  test('returns changed personal preferences with their current values, and deleted ones', async () => {
    await bob.call('POST', '/me/pref/old', { data: 1 })
    const cursor = await begin()
    await bob.call('POST', '/me/pref/theme', { data: 'light' })
    await bob.call('POST', '/me/pref/theme', { data: { dark: true } })
    await bob.call('POST', '/me/pref/__proto__', { data: 1 })
    await bob.call('DELETE', '/me/pref/old')
    await alice.call('POST', '/me/pref/hers', { data: 1 })
    const found = await untilSeen(cursor, ({ deletedPrefs }) => deletedPrefs.includes('old'))
    assert.equal(JSON.stringify(found.prefs['theme']), '{"dark":true}')
    assert.ok(Object.hasOwn(found.prefs, '__proto__'))
    assert.deepEqual(found.deletedPrefs, ['old'])
    assert.ok(!Object.hasOwn(found.prefs, 'hers'))
  })

  test('skips events that cannot be read', async () => {
    const room = await gateway.newRoom([alice, bob])
    const cursor = await begin()
    const { app, chat } = gateway
    for (const event of ['lastRead', 'messageUpdated'] as const)
      await chat.bus.stream.publish(eventSubject({ app, room }, event), 'no JSON')
    await send(room)
    await untilSeen(cursor, (found) => of(found, room)?.messages === true)
  })

  test('returns pages that lose nothing', async () => {
    const rooms = await Promise.all(Array.from({ length: 7 }, () => gateway.newRoom([alice, bob])))
    const cursor = await begin()
    for (const room of rooms) await send(room)
    await untilSeen(cursor, (all) => rooms.every((room) => of(all, room)?.messages))
    const seen = new Set<string>()
    let since = cursor
    let pages = 0
    for (let isComplete = false; !isComplete; pages++) {
      const page = await changes(since, '&limit=2')
      assert.ok(page.rooms.length <= 2)
      for (const { room } of page.rooms) seen.add(room._id)
      ;[since, isComplete] = [page.cursor, page.complete]
    }
    assert.ok(rooms.every((room) => seen.has(room)))
    assert.ok(pages > 3)
  })

  test('returns nothing of a user and a room with the same IDs in another app', async () => {
    const other = await startTestGateway()
    try {
      const cursor = await begin()
      const [carol, namesake] = [await other.newUser(), await other.newUser('bob')]
      const room = await other.newRoom([carol, namesake], { _id: 'a room of both' })
      await namesake.call('POST', '/me/pref/theirs', { data: 1 })
      await other.admin('POST', '/messages', { room, sender: carol.id, message: 'x', messageType: 'text' })
      const mine = await gateway.newRoom([alice, bob])
      await send(mine)
      const found = await untilSeen(cursor, (all) => of(all, mine)?.messages === true)
      assert.equal(of(found, room), undefined)
      assert.equal(found.prefs['theirs'], undefined)
      assert.ok(!found.removed.includes(room))
    } finally {
      await other.stop()
    }
  })

  test('returns nothing of an erased user to a new user of the ID, whatever the cursor', async () => {
    const { chat } = gateway
    const { db, outbox } = chat
    const erased = await gateway.newUser('erased')
    const room = await gateway.newRoom([alice, erased])
    await erased.call('POST', '/me/pref/secret', { data: 1 })
    await erased.call('DELETE', '/me/pref/secret')
    await gateway.admin('POST', `/rooms/${room}/delete/members`, { members: ['erased'] })
    assert.equal((await gateway.admin('DELETE', '/admin/clients/erased')).status, 200)
    const next = await gateway.newUser('erased')
    await next.call('POST', '/me/pref/own', { data: 1 })
    while ((await db.outbox.countDocuments({})) > 0) await pause(20)
    await outbox.drained()
    const { firstSeq } = await streamBounds(chat.bus, streamName(0))
    const user = await db.users.findOne({ app: gateway.app, id: 'erased' })
    const createdMS = Number(user?.createdAt)
    for (const forged of [`${Date.now()}-${firstSeq}`, `${createdMS}-${firstSeq}`, `${createdMS}`]) {
      const { status, body } = await next.call('GET', `/me/changes?since=${forged}`)
      assert.equal(status, 200, JSON.stringify(body))
      const { removed, deletedPrefs, prefs } = body.result as unknown as Changes
      assert.deepEqual({ removed, deletedPrefs, prefs }, { removed: [], deletedPrefs: [], prefs: { own: 1 } }, forged)
    }
  })

  test('an invalid since is 400 INVALID_QUERY', async () => {
    for (const query of ['', '?since=yesterday', '?since=-1', '?since=1&limit=0']) {
      const { status, body } = await bob.call('GET', `/me/changes${query}`)
      assert.equal(status, 400, query)
      assert.ok(['INVALID_QUERY', 'MISSING_PARAMETER'].includes(String(body.error.code)), query)
    }
  })
})
