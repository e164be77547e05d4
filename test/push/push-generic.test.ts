import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { proves } from '@parley/conformance/proves'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { type CallbackDouble, type ReceivedCall, startCallback } from '../doubles/callback.ts'
import { call, connectClient, eventually, type RunningService } from '../platform.ts'
import { callTimeoutMS } from '../webhooks/test-webhooks.ts'
import { type PushPlatform, startPushPlatform } from './test-push-platform.ts'

describe('PUSH_GENERIC', () => {
  let platform: PushPlatform
  let push: RunningService
  let server: CallbackDouble
  let alice: string
  let bob: string
  let carol: string
  const startPush = (env: NodeJS.ProcessEnv) => platform.startPush({ PUSH_GENERIC: `${server.url}/push`, ...env })

  beforeAll(async () => {
    ;[platform, server] = await Promise.all([startPushPlatform(), startCallback()])
    push = await startPush({ PARLEY_PUSH_CALL_TIMEOUT_MS: String(callTimeoutMS) })
    alice = await platform.newUser(['ios'], { nickname: 'Alice' })
    bob = await platform.newUser(['ios', 'fcm'])
    carol = await platform.newUser(['fcm'])
  })
  afterAll(async () => {
    await platform.stop()
    await server.stop()
  })
  beforeEach(() => {
    server.behave = () => undefined
  })
  const callsOf = (message: string): ReceivedCall[] => server.calls.filter(({ body }) => body._id === message)
  const taken = (message: string) => callsOf(message).filter(({ status }) => status === 200)

  /** The errors of a room's failed calls. */
  const lettersOf = async (room: string) => {
    const { data } = await platform.admin('GET', '/admin/webhooks/failed')
    const letters = (data as { lastError: string; roomID: string }[]).filter(({ roomID }) => roomID === room)
    return letters.map(({ lastError }) => lastError)
  }

  test('gets the flattened message with roomName and pushToClients, signed, and without a badge', async () => {
    proves('PUSH_GENERIC', 'pushToClients holds the recipients', 'the body is the message object, flattened')
    proves('PUSH_GENERIC', 'no receiver badge', 'body._id', 'body.id', 'body.message', 'body.room', 'body.messageType')
    proves('PUSH_GENERIC', 'body.appID', 'body.messageTime', 'body.messageTimeMS', 'body.updatedAtMS')
    proves('PUSH_GENERIC', 'body.createdAtMS', 'body.reactions', 'body.reactionCount', 'body.isDeleted', 'body.sender')
    proves('PUSH_GENERIC', 'body.roomName', 'body.pushToClients')
    const room = await platform.newRoom([alice, bob, carol], { name: 'Friends' })
    const message = await platform.send(room, alice, { message: { text: 'hi' } })
    await eventually('the call', () => taken(message).length === 1)
    const [{ body, headers, path, text } = assert.fail()] = taken(message)
    const { pushToClients, roomName, ...rest } = body
    assert.equal(path, '/push')
    assert.deepEqual(pushToClients.toSorted(), [bob, carol].toSorted())
    assert.equal(roomName, 'Friends')
    const token = (await platform.admin('POST', '/admin/clients', { _id: bob, issueAccessToken: true }))['token']
    const client = { 'im-client-key': platform.clientKey, 'im-authorization': String(token) }
    const history = await call(platform.gateway.url, 'GET', `/rooms/${room}/messages/v3`, client)
    assert.deepEqual(rest, (history.body.result['data'] as unknown[])[0], 'the Message without personal fields')
    assert.equal('badge' in body, false)
    const secret = `whsec_${Buffer.from(`of ${platform.app}, not a secret`).toString('base64')}`
    new Webhook(secret).verify(text, headers as Record<string, string>)
  })

  test("gets a threaded message for the thread's participants and mentioned users", async () => {
    const [dave, erin, muted] = [await platform.newUser(), await platform.newUser(), await platform.newUser()]
    const room = await platform.newRoom([alice, bob, carol, dave, erin, muted])
    await platform.as(muted, 'POST', `/me/mute/${room}`)
    const root = await platform.send(room, alice, { message: 'root' })
    const reply = { message: 'reply', replyTo: root, thread: true }
    const first = await platform.send(room, bob, { ...reply, push: false })
    await platform.send(room, muted, { ...reply, push: false })
    await platform.send(room, carol, { ...reply, push: false })
    await platform.admin('POST', `/rooms/${room}/delete/members`, { members: [bob] })
    const message = await platform.send(room, carol, { ...reply, mentions: [dave] })
    await eventually('the call', () => taken(message).length === 1)
    const [{ body } = assert.fail()] = taken(message)
    assert.deepEqual(body.pushToClients.toSorted(), [alice, dave].toSorted())
    assert.deepEqual([body.threadOf, body.seq, callsOf(first).length], [root, 4, 0])
    const why = async (client: string) =>
      (await platform.admin('GET', `/admin/push/why?message=${message}&client=${encodeURIComponent(client)}`))['reason']
    assert.deepEqual([await why(erin), await why(muted), await why(carol)], ['NOT_IN_THREAD', 'MUTED', 'SENDER'])
  })

  test('names users without any connected socket, by the push rules', async () => {
    const [robot, muted, mentioned, banned] = [
      await platform.newUser([], { isRobot: true }),
      await platform.newUser(),
      await platform.newUser(),
      await platform.newUser(),
    ]
    const room = await platform.newRoom([alice, bob, carol, robot, muted, mentioned, banned], { owner: alice })
    await platform.as(alice, 'POST', `/blockStatus/room/${room}/${banned}`)
    await platform.as(muted, 'POST', `/me/mute/${room}`)
    await platform.as(mentioned, 'POST', `/me/mute/${room}`)
    const realtime = await platform.start('realtime')
    const token = (await platform.admin('POST', '/admin/clients', { _id: bob, issueAccessToken: true }))['token']
    const socket = await connectClient(realtime.url, String(token), { deviceId: 'another device' })
    const message = await platform.send(room, alice, { mentions: [mentioned] })
    await eventually('the call', () => taken(message).length === 1)
    const { pushToClients, keptBack } = taken(message)[0]?.body ?? assert.fail()
    assert.deepEqual([pushToClients.toSorted(), keptBack], [[carol, mentioned].toSorted(), { MUTED: [muted] }])
    socket.disconnect()
    await realtime.stop()
  })

  test('is not called for push: false or without recipients', async () => {
    proves('PUSH_GENERIC', 'a POST for every message event needing a push')
    const room = await platform.newRoom([alice, bob])
    const lonely = await platform.newRoom([alice])
    const none = [await platform.send(room, alice, { push: false }), await platform.send(lonely, alice)]
    const message = await platform.send(room, alice)
    await eventually('the call', () => taken(message).length === 1)
    assert.deepEqual(
      none.flatMap((id) => callsOf(id)),
      [],
    )
  })

  test('replaces all message pushes; push2clients still reaches subscribed devices', async () => {
    const room = await platform.newRoom([alice, bob])
    const message = await platform.send(room, alice)
    await eventually('the call', () => taken(message).length === 1)
    await platform.admin('POST', '/push/push2clients', { clients: [bob], payload: { alert: 'x', body: 'x' } })
    const { apns, fcm } = platform
    await eventually('both pushes', () => apns.pushes.length === 1 && fcm.pushes.length === 1)
    assert.deepEqual([apns.pushes[0]?.token, fcm.pushes[0]?.token], [`${bob}-ios`, `${bob}-fcm`])
    assert.equal(await platform.db.pushes.countDocuments({ badge: { $exists: true } }), 0, 'no push of a message')
  })

  for (const [what, behaviour] of [
    ['500', { status: 500 }],
    ['429', { status: 429, headers: { 'retry-after': '2' } }],
    ['a broken connection', 'reset'],
  ] as const) {
    test(`is retried after ${what}, with the same webhook-id, until accepted`, async () => {
      const room = await platform.newRoom([alice, bob])
      let failed = false
      server.behave = () => {
        if (failed) return undefined
        failed = true
        return behaviour
      }
      const message = await platform.send(room, alice)
      await eventually('the second try', () => taken(message).length === 1)
      const [first, second, ...more] = callsOf(message)
      assert.equal(more.length, 0)
      assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
      assert.equal(first?.text, second?.text)
    })
  }

  test('is not retried for users that would no longer get a push', async () => {
    const users = await Promise.all(Array.from({ length: 7 }, () => platform.newUser()))
    const [removed = '', banned = '', banished = '', muted = '', blocking = '', erased = '', mentioned = ''] = users
    const room = await platform.newRoom([alice, ...users], { owner: alice })
    const roomToDelete = await platform.newRoom([alice, bob], { owner: alice })
    server.behave = () => ({ status: 503 })
    const message = await platform.send(room, alice, { mentions: [mentioned] })
    const messageThere = await platform.send(roomToDelete, alice)
    await eventually('both are tried', () => [message, messageThere].every((id) => callsOf(id).length > 0))
    assert.deepEqual(callsOf(message)[0]?.body.pushToClients.toSorted(), users.toSorted())
    await platform.admin('POST', `/rooms/${room}/delete/members`, { members: [removed] })
    await platform.as(alice, 'DELETE', `/rooms/${roomToDelete}`)
    await platform.as(alice, 'POST', `/blockStatus/room/${room}/${banned}`)
    await platform.admin('POST', `/admin/clients/${banished}/ban`, {})
    await platform.as(muted, 'POST', `/me/mute/${room}`)
    await platform.as(mentioned, 'POST', `/me/mute/${room}`)
    await platform.as(blocking, 'POST', `/blockStatus/my/${alice}`)
    await platform.admin('DELETE', `/admin/clients/${erased}`)
    server.behave = () => undefined
    await eventually('the call', () => taken(message).length === 1)
    assert.deepEqual(taken(message)[0]?.body.pushToClients, [mentioned])
    await eventually('nobody is left', async () =>
      (await lettersOf(roomToDelete)).some((why) => /no recipients/.test(why)),
    )
    assert.deepEqual(taken(messageThere), [])
  })

  test('is not retried for a message that was deleted or recalled', async () => {
    const room = await platform.newRoom([alice, bob])
    server.behave = () => ({ status: 503 })
    const deleted = await platform.send(room, alice)
    const recalled = await platform.send(room, alice)
    await eventually('one is tried', () => callsOf(deleted).length > 0)
    await platform.admin('DELETE', `/rooms/${room}/messages/${deleted}`)
    await platform.as(alice, 'POST', `/rooms/${room}/message`, { _id: recalled, messageType: 'recall' })
    server.behave = () => undefined
    await eventually('both are given up', async () => (await lettersOf(room)).length === 2)
    assert.deepEqual(await lettersOf(room), ['the message is gone', 'the message is gone'])
    assert.deepEqual([...taken(deleted), ...taken(recalled)], [])
  })

  test('does not delay webhooks when it hangs, and its calls wait in the database', async () => {
    const hook = await startCallback()
    server.behave = () => 'hang'
    const room = await platform.newRoom([alice, bob], { webhook: hook.url })
    const bytes = () => platform.metric(push, /^process_resident_memory_bytes/)
    const before = await bytes()
    for (let i = 0; i < 150; i += 10) {
      await Promise.all(Array.from({ length: 10 }, () => platform.send(room, alice, { message: 'x'.repeat(20_000) })))
    }
    // On a busy machine a call can be retried with the same ID.
    const called = () => new Set(hook.calls.map(({ headers }) => headers['webhook-id'])).size
    await eventually('all calls of the webhook', () => called() === 151)
    const atOnce = await platform.metric(push, /^parley_push_in_flight\{.*"calls"/)
    assert.ok(atOnce > 0 && atOnce <= 110, `${atOnce} at once`)
    const grown = (await bytes()) - before
    assert.ok(grown < 150 * 1024 * 1024, `${Math.round(grown / 1024 / 1024)} MiB more`)
    await hook.stop()
    await push.stop()
    assert.match(readFileSync(push.logFile, 'utf8'), /"msg":"stopped"\}\n$/, 'within the drain time')
  })

  test('is retried after a timeout, with the same webhook-id', async () => {
    push = await startPush({ PARLEY_PUSH_CALL_TIMEOUT_MS: '1000' })
    const room = await platform.newRoom([alice, bob])
    let hung = false
    server.behave = ({ body }) => {
      if (hung || body.room !== room) return undefined
      hung = true
      return 'hang'
    }
    const message = await platform.send(room, alice)
    await eventually('a try that is answered', () => taken(message).length > 0)
    const tries = callsOf(message)
    assert.equal(tries[0]?.status, undefined, 'the first was not')
    assert.equal(new Set(tries.map(({ headers }) => headers['webhook-id'])).size, 1)
    assert.equal(new Set(tries.map(({ text }) => text)).size, 1)
  })

  test('is given up after the retry period: failed calls are dead letters and can be retried', async () => {
    await push.stop()
    push = await startPush({ PARLEY_PUSH_CALL_TIMEOUT_MS: String(callTimeoutMS), PARLEY_PUSH_CALL_RETRY_MS: '3000' })
    const room = await platform.newRoom([alice, bob])
    server.behave = () => ({ status: 503 })
    const message = await platform.send(room, alice)
    const letter = await eventually('the dead letter', async () => {
      const { data } = await platform.admin('GET', '/admin/webhooks/failed')
      return (data as { id: string; kind: string; event: string; roomID: string; data: { _id: string } }[]).find(
        ({ data: { _id } }) => _id === message,
      )
    })
    assert.deepEqual([letter.kind, letter.event, letter.roomID], ['push', 'PUSH', room])
    server.behave = () => undefined
    await platform.admin('POST', `/admin/webhooks/failed/${letter.id}/retry`)
    await eventually('it is taken', () => taken(message).length === 1)
    assert.equal(new Set(callsOf(message).map(({ headers }) => headers['webhook-id'])).size, 1)
  })

  test('is not called for a message that is too old to notify about', async () => {
    await push.stop()
    push = await startPush({ PARLEY_PUSH_CALL_TIMEOUT_MS: String(callTimeoutMS), PARLEY_PUSH_KEEP_MS: '2000' })
    const room = await platform.newRoom([alice, bob])
    server.behave = () => ({ status: 503 })
    await platform.send(room, alice)
    await eventually('it is given up', async () => (await lettersOf(room)).length === 1)
    assert.deepEqual(await lettersOf(room), ['too late for a push'])
  })
})
