import assert from 'node:assert/strict'
import { readPart } from '@parley/bus/stream/app-events'
import { takeNextJob } from '@parley/chat/jobs/run-jobs'
import { streamName } from '@parley/contracts/bus/streams'
import { capturedSubjects } from '@parley/contracts/bus/subjects'
import type { ConnectOptions } from '@parley/db/connect'
import { eventually } from '@parley/stack/eventually'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { recorded } from '../../test-profiler.ts'

const secret = 'zanzibar'

let gateway: TestGateway
let bob: TestUser
beforeAll(async () => {
  gateway = await startTestGateway()
  bob = await gateway.newUser('bob')
})
afterAll(() => gateway.stop())

const admin = async (...call: Parameters<TestGateway['admin']>) => {
  const { status, body } = await gateway.admin(...call)
  assert.ok(status < 300, JSON.stringify(body))
  return body.result
}
const send = (room: string, sender: string, message: string, more: object = {}) =>
  admin('POST', '/messages', { room, sender, message, messageType: 'text', ...more })

/** A user who wrote the secret wherever one can. */
async function writeEverywhere(name: string) {
  const user = await gateway.newUser(name)
  const room = await gateway.newRoom([user, bob])
  const left = await gateway.newRoom([user, bob])
  const direct = await gateway.newRoom([user, bob], { roomType: 'direct' })
  const root = await send(room, name, `${secret} root`)
  const pinned = await send(room, name, `${secret} pinned`)
  const ofBob = await send(room, 'bob', 'of bob')
  const sent = [
    await send(room, name, `${secret} mentions`, { mentions: ['bob'] }),
    await send(room, name, secret, { expiresInS: 3_600 }),
    await send(room, name, `${secret} ${'long '.repeat(2_000)}`),
    await send(room, name, `${secret} in a thread of bob`, { replyTo: ofBob._id, thread: true }),
    await send(room, name, `${secret} in an own thread`, { replyTo: root._id, thread: true }),
    await send(left, name, `${secret} left`),
    await send(direct, name, `${secret} direct`),
  ]
  await user.call('POST', `/messages/${pinned._id}/pin`)
  await send(room, 'bob', 'quotes', { replyTo: pinned._id })
  const silent = await gateway.newRoom([user, bob])
  for (const message of [ofBob, await send(silent, 'bob', 'of bob')]) {
    await bob.call('POST', `/messages/${message._id}/reaction`, { reaction: 'of bob' })
    await user.call('POST', `/messages/${message._id}/reaction`, { reaction: secret })
  }
  for (const one of [left, silent]) await user.call('POST', `/rooms/${one}/delete/members`, { members: [name] })
  await user.call('POST', '/me/pref/theme', { data: { said: secret, sender: { _id: name } } })
  const edited = await send(room, name, 'to be edited')
  const edit = { _id: edited._id, message: `${secret} edited`, messageType: 'text' }
  assert.equal((await user.call('POST', `/rooms/${room}/message`, edit)).status, 200)
  await send(room, name, `${secret} later`, { sendAtMS: Date.now() + 3_600_000 })
  await bob.call('POST', `/messages/${root._id}/report`, { reason: 'x' })
  // Stays in the buffer until the room is locked.
  sent.push(edited, await send(room, name, `${secret} last`), root, pinned)
  return { room, left, silent, direct, ofBob, root, ids: sent.map(({ _id }): string => _id) }
}
type Scene = Awaited<ReturnType<typeof writeEverywhere>>

/** The answers of all reads that show texts, by path. */
async function readEverything({ room, left, silent, direct, ofBob, root }: Scene): Promise<[string, string][]> {
  const asBob = [
    ...[room, left, silent, direct].map((of) => `/rooms/${of}/messages/v3?limit=100`),
    ...[ofBob, root].map(({ _id }) => `/messages/${_id}/thread`),
    ...['/rooms', '/threads', `/rooms/${room}/pins`],
  ]
  const asAdmin = [
    ...[`/admin/rooms/${room}/messages`, `/admin/rooms/${room}/pins`, `/admin/messages/${root._id}/thread`],
    ...['/scheduled', '/admin/reports?status=open'],
  ]
  const found = await gateway.admin('POST', '/admin/search', { keyword: secret })
  return [
    ...(await Promise.all(asBob.map(async (path) => [path, (await bob.call('GET', path)).text] as [string, string]))),
    ...(await Promise.all(
      asAdmin.map(async (path) => [path, (await gateway.admin('GET', path)).text] as [string, string]),
    )),
    ['/admin/search', found.text],
  ]
}
const withSecret = (read: readonly [string, string][]) =>
  read.flatMap(([path, text]) => (text.includes(secret) ? [path] : []))
const found = async () =>
  (await bob.call('POST', '/search', { type: ['messages'], keyword: secret })).body.result.messages
const history = async (room: string) => (await bob.call('GET', `/rooms/${room}/messages/v3?limit=100`)).body.result.data
const badge = async (): Promise<number> => (await bob.call('GET', '/me/badge')).body.result.badge
const erase = (user: string, content: string) => gateway.admin('DELETE', `/admin/clients/${user}?content=${content}`)

/** A user's events of the stream with the secret. */
async function eventsWithSecret(sender: string): Promise<string[]> {
  const part = {
    stream: streamName(0),
    subjects: capturedSubjects(gateway.app),
    afterSeq: 0,
    limit: 1_000,
    maxBytes: 1024 ** 3,
  }
  const texts = (await readPart(gateway.chat.bus, part)).map(({ data }) => new TextDecoder().decode(data))
  const senderOf = (text: string): string | undefined => {
    const event = JSON.parse(text)
    return (event.sender ?? event.data?.sender)?._id
  }
  return texts.filter((text) => text.includes(secret) && senderOf(text) === sender)
}
async function feed(after: string, types = ''): Promise<{ event: string; data: { _id: string; message?: string } }[]> {
  return (await admin('GET', `/admin/events?after=${after}&limit=500&types=${types}`)).data
}

async function finishErasure(): Promise<void> {
  assert.equal(await takeNextJob(gateway.chat), true)
  await eventually('the job has ended', async () => {
    const { data } = await admin('GET', '/admin/jobs?kind=erasure&limit=1')
    return data[0].state === 'done'
  })
}

describe('the content of an erased user', () => {
  test('is kept by default', async () => {
    const scene = await writeEverywhere('keeper')
    assert.equal((await gateway.admin('DELETE', '/admin/clients/keeper')).status, 200)
    assert.equal(withSecret(await readEverything(scene)).includes(`/rooms/${scene.room}/messages/v3?limit=100`), true)
    await admin('DELETE', `/rooms/${scene.room}/messages/_all`)
    for (const room of [scene.left, scene.silent, scene.direct]) await admin('DELETE', `/rooms/${room}/messages/_all`)
  })

  test.each(['redact', 'delete'])('%s: no read shows it any more, and it is proven', async (content) => {
    const name = `user of ${content}`
    const heard = await gateway.hear()
    const { cursor } = await admin('GET', '/admin/events')
    const scene = await writeEverywhere(name)
    const before = await readEverything(scene)
    assert.deepEqual(
      withSecret(before),
      before.map(([path]) => path),
    )
    assert.ok((await found()).length > 0 && (await eventsWithSecret(name)).some((text) => text.includes('theme')))
    assert.ok((await feed(cursor)).some(({ data }) => data.message?.includes(secret)))
    assert.ok((await badge()) > 0)

    assert.equal((await erase(name, content)).status, 200)
    assert.deepEqual(withSecret(await readEverything(scene)), [])
    assert.deepEqual([await found(), await eventsWithSecret(name)], [[], []])
    assert.equal(
      (await feed(cursor)).some(({ data }) => data.message?.includes(secret)),
      false,
    )
    assert.equal(await badge(), 0)

    const [ofOther] = await history(scene.silent)
    assert.deepEqual([ofOther.reactions, ofOther.reactionCount], [[{ client: 'bob', reaction: 'of bob' }], 1])

    const messages = await history(scene.room)
    const own = messages.filter(({ sender }: { sender: { _id: string } }) => sender._id === name)
    for (const { isDeleted, messageType, message } of own) {
      assert.deepEqual(
        [isDeleted, messageType === 'recall', message],
        [content === 'delete', content === 'redact', undefined],
      )
    }
    assert.ok(own.length >= 6 && messages.some(({ message }: { message: string }) => message === 'of bob'))
    const event = content === 'delete' ? 'messageDeleted' : 'messageUpdated'
    for (const id of scene.ids) {
      await heard.next(
        event,
        (payload: { _id?: string; messageID?: string }) => id === (payload._id ?? payload.messageID),
      )
    }
    const erased = { content, messages: scene.ids.length, sparedRooms: 0 }
    assert.deepEqual(
      (await feed(cursor, 'contentErased')).map(({ data }) => data),
      [{ _id: name, ...erased }],
    )
    const { data } = await admin('GET', `/admin/audit?subject=${encodeURIComponent(`user:${name}`)}&action=eraseUser`)
    const asked = data.find(({ actor }: { actor: string }) => actor.startsWith('key:')).after
    const proof = data.find(({ actor }: { actor: string }) => actor === `job:${asked.job}`)
    assert.deepEqual([asked.content, proof.after], [content, { erased }])
  })

  test.each(['keep', 'redact', 'delete'])(
    '%s: the feed, the stream and what would rebuild it lose the profile and the settings',
    async (content) => {
      const name = `profile of ${content}`
      const { cursor } = await admin('GET', '/admin/events')
      const user = await gateway.newUser(name, { nickname: secret, email: `${secret}@example.com` })
      await user.call('POST', '/me/pref/theme', { data: { said: secret, sender: { _id: name } } })
      const profiles = async () => (await feed(cursor, 'user')).filter(({ data }) => data._id === name).length
      const republished = async () => {
        await gateway.chat.outbox.drained()
        const notes = await gateway.chat.db.publishedEvents.find({ 'events.to.user': name }).toArray()
        const [all, withSecret] = [JSON.stringify(notes), notes.filter((note) => JSON.stringify(note).includes(secret))]
        return [withSecret.length, all.includes('userDeleted')]
      }
      assert.deepEqual([await profiles(), (await eventsWithSecret(name)).length], [1, 1])
      assert.deepEqual(await republished(), [2, false])
      await erase(name, content)
      assert.deepEqual([await profiles(), (await eventsWithSecret(name)).length], [0, 0])
      assert.deepEqual(await republished(), [0, true])
      const deleted = await feed(cursor, 'userDeleted')
      assert.deepEqual(
        deleted.map(({ data }) => data),
        [{ _id: name }],
      )
    },
  )

  test('stays in rooms under hold, and in the stream', async () => {
    const scene = await writeEverywhere('held')
    const hold = await admin('POST', '/admin/holds', { room: scene.direct, reason: 'Case 1' })
    assert.equal((await erase('held', 'delete')).status, 200)
    assert.deepEqual(
      (await history(scene.direct)).map(({ message }: { message: string }) => message),
      [`${secret} direct`],
    )
    assert.deepEqual(withSecret(await readEverything(scene)), [
      `/rooms/${scene.direct}/messages/v3?limit=100`,
      '/rooms',
      '/admin/search',
    ])
    assert.equal((await eventsWithSecret('held')).length, 1)
    await admin('DELETE', `/admin/holds/${hold._id}`)
    await finishErasure()
    assert.deepEqual(withSecret(await readEverything(scene)), [])
  })

  test('goes when the last hold on its room is lifted, but not what a later user with the ID wrote', async () => {
    const scene = await writeEverywhere('spared')
    const { cursor } = await admin('GET', '/admin/events')
    const holds = [await admin('POST', '/admin/holds', { room: scene.room, reason: 'Case 2' })]
    await send(scene.room, 'spared', `${secret} under hold`)
    assert.equal((await erase('spared', 'delete')).status, 200)
    const ofHeld = `/rooms/${scene.room}/messages/v3?limit=100`
    const everywhere = withSecret(await readEverything(scene))
    for (const path of [ofHeld, `/messages/${scene.ofBob._id}/thread`]) assert.ok(everywhere.includes(path), path)

    holds.push(await admin('POST', '/admin/holds', { room: scene.room, reason: 'Case 3' }))
    await admin('DELETE', `/admin/holds/${holds[0]._id}`)
    assert.equal(await takeNextJob(gateway.chat), false)
    const later = await gateway.newUser('spared')
    await admin('POST', `/rooms/${scene.room}/members`, { invitees: ['spared'] })
    const [own, elsewhere] = [await send(scene.room, 'spared', 'mine'), await gateway.newRoom([later, bob])]
    await send(scene.room, 'spared', 'mine too', { replyTo: scene.ofBob._id, thread: true })

    await admin('DELETE', `/admin/holds/${holds[1]._id}`)
    await finishErasure()
    assert.deepEqual(withSecret(await readEverything(scene)), [])
    assert.deepEqual(await eventsWithSecret('spared'), [])
    const texts = new Set((await history(scene.room)).map(({ message }: { message?: string }) => message))
    assert.ok(texts.has('mine') && texts.has('of bob'))
    assert.match((await bob.call('GET', `/messages/${scene.ofBob._id}/thread`)).text, /mine too/)
    assert.ok((await feed(cursor)).some(({ data }) => data._id === own._id))
    const rooms = (await later.call('GET', '/rooms?limit=100')).body.result.data
    assert.deepEqual(rooms.map(({ _id }: { _id: string }) => _id).toSorted(), [scene.room, elsewhere].toSorted())
    const proofs = (await feed(cursor, 'contentErased')).map(({ data }) => data as object)
    assert.deepEqual(
      proofs.map((proof) => 'sparedRooms' in proof && proof.sparedRooms),
      [1, 0],
    )
  })

  test('accepts no other modes', async () => {
    const { status, body } = await erase('bob', 'some')
    assert.deepEqual([status, body.error.code], [400, 'INVALID_QUERY'])
  })

  test.each(['redact', 'delete'])(
    '%s: takes a few statements for a hundred messages, and rewrites no blocks of the stream',
    async (content) => {
      const name = `many ${content}`
      const [user, room] = [await gateway.newUser(name), await gateway.newRoom([bob])]
      await admin('POST', `/rooms/${room}/members`, { invitees: [name] })
      const paras = Array.from({ length: 60 }, () => ({ room }))
      for (const [sender, message] of [
        [name, secret],
        ['bob', 'of bob'],
      ]) {
        await admin('POST', '/messages/batch', { sender, message, messageType: 'text', paras })
      }
      for (const { _id, message } of await history(room)) {
        if (message !== 'of bob') continue
        assert.equal((await user.call('POST', `/messages/${_id}/reaction`, { reaction: secret })).status, 200)
      }
      await gateway.chat.flusher.drained()
      const statements: string[] = []
      const note: NonNullable<ConnectOptions['onCommand']> = ({ command, commandName }) => {
        const isOnMessages = String(command[commandName]).startsWith('message')
        if (command['autocommit'] === false && isOnMessages) statements.push(commandName)
      }
      gateway.chat.db.client.on('commandStarted', note)
      onTestFinished(() => void gateway.chat.db.client.off('commandStarted', note))
      const { nats } = gateway.chat.bus
      const deletions: unknown[] = []
      const requests = nats.subscribe('$JS.API.STREAM.MSG.DELETE.*', {
        callback: (_error, request) => void deletions.push(request.json<{ no_erase?: boolean }>().no_erase),
      })
      assert.equal((await erase(name, content)).status, 200)
      await nats.flush()
      requests.unsubscribe()
      assert.deepEqual([deletions.length >= 60, new Set(deletions)], [true, new Set([true])])
      assert.ok(statements.length > 5 && statements.length < 20, statements.join())
      const { text } = await bob.call('GET', `/rooms/${room}/messages/v3?limit=200`)
      assert.deepEqual([text.includes(secret), text.split('of bob').length], [false, 61])
    },
  )

  test('is found by indexes, regardless of the number of messages', async () => {
    const [user, room] = [await gateway.newUser('few'), await gateway.newRoom([bob])]
    await admin('POST', `/rooms/${room}/members`, { invitees: ['few'] })
    for (let i = 0; i < 70; i++) await send(room, i === 3 ? user.id : 'bob', `${i}`)
    await gateway.chat.flusher.drained()
    const entries = await recorded(gateway, () => erase('few', 'delete'))
    const read = entries.filter(({ ns, planSummary }) => /\.message(s|Buckets)$/.test(ns) && planSummary !== undefined)
    assert.ok(read.length > 3)
    for (const { planSummary, docsExamined = 0, command } of read) {
      assert.doesNotMatch(planSummary, /COLLSCAN/, JSON.stringify(command))
      assert.ok(docsExamined <= 40, JSON.stringify(command))
    }
  })
})
