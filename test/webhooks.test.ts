import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, suite, test } from 'node:test'
import { closeBus, connectBus } from '@parley/bus/connect'
import { publishMembersChange } from '@parley/bus/publish-push-order'
import { Webhook } from 'standardwebhooks'
import { type CallbackDouble, type ReceivedCall, startCallback } from './doubles/callback.ts'
import { call, connectClient, eventually, type RunningService } from './platform.ts'
import { type PushPlatform, startPushPlatform } from './test-push-platform.ts'

suite("a room's webhook", { timeout: 240_000 }, () => {
  let platform: PushPlatform
  let push: RunningService
  let server: CallbackDouble
  let alice: string
  let bob: string

  before(async () => {
    ;[platform, server] = await Promise.all([startPushPlatform(), startCallback()])
    push = await platform.startPush({ PARLEY_PUSH_CALL_TIMEOUT_MS: '500', PARLEY_PUSH_CALL_RETRY_MS: '6000' })
    alice = await platform.newUser([], { nickname: 'Alice' })
    bob = await platform.newUser()
  })
  after(async () => {
    await platform.stop()
    await server.stop()
  })
  beforeEach(() => {
    server.behave = () => undefined
  })

  /** A room with a webhook of its own, and the calls to it. */
  async function newRoom(fields: object = {}): Promise<{ room: string; calls: () => ReceivedCall[] }> {
    const path = `/${randomUUID()}`
    const room = await platform.newRoom([alice, bob], { webhook: server.url + path, ...fields })
    return { room, calls: () => server.calls.filter((one) => one.path === path) }
  }
  const events = (calls: readonly ReceivedCall[]) => calls.map(({ body }) => body.event)
  const failed = async (room: string) => {
    const { data } = await platform.admin('GET', '/admin/webhooks/failed?limit=500')
    return (
      data as { id: string; roomID: string; lastError: string; tries: number; data: { message: unknown } }[]
    ).filter(({ roomID }) => roomID === room)
  }

  test('is told of ROOM, MESSAGE, MESSAGE_UPDATED and MESSAGE_DELETED, signed by the Standard Webhooks scheme', async () => {
    const { room, calls } = await newRoom({ botState: 'greeting', name: 'Help' })
    await eventually('the room', () => calls().length === 1)
    const message = await platform.send(room, alice, { message: { text: 'hi' } })
    await eventually('the message', () => calls().length === 2)
    await platform.admin('POST', `/rooms/${room}/message`, {
      _id: message,
      sender: alice,
      message: 'edited',
      messageType: 'text',
    })
    await eventually('the edit', () => calls().length === 3)
    await platform.admin('DELETE', `/rooms/${room}/messages/${message}`)
    await eventually('the deletion', () => calls().length === 4)

    assert.deepEqual(events(calls()), ['ROOM', 'MESSAGE', 'MESSAGE_UPDATED', 'MESSAGE_DELETED'])
    for (const { body } of calls()) {
      assert.deepEqual(Object.keys(body).toSorted(), ['appID', 'botState', 'clientID', 'data', 'event', 'roomID'])
      assert.deepEqual([body.appID, body.roomID, body.botState], [platform.app, room, 'greeting'])
    }
    const [made, sent, edited, deleted] = calls().map(({ body }) => body)
    assert.deepEqual([made.data._id, made.data.name, made.data.room], [room, 'Help', room])
    assert.deepEqual([sent.clientID, sent.data._id, sent.data.message], [alice, message, { text: 'hi' }])
    assert.equal(sent.data.sender.nickname, 'Alice')
    assert.deepEqual([edited.clientID, edited.data.message], [alice, 'edited'])
    assert.deepEqual([deleted.data._id, deleted.data.isDeleted, 'message' in deleted.data], [message, true, false])

    const secret = `whsec_${Buffer.from(`of ${platform.app}, not a secret`).toString('base64')}`
    for (const { headers, text } of calls()) {
      new Webhook(secret).verify(text, headers as Record<string, string>)
      assert.throws(() => new Webhook(secret).verify(`${text} `, headers as Record<string, string>))
    }
    assert.equal(new Set(calls().map(({ headers }) => headers['webhook-id'])).size, 4)
  })

  test('is told of JOIN_ROOM, ADD_MEMBERS and DELETE_MEMBERS with {room, sender, members}', async () => {
    const { room, calls } = await newRoom()
    const bus = await connectBus(platform.servers.natsUrl, 'test')
    const changes = ['JOIN_ROOM', 'ADD_MEMBERS', 'DELETE_MEMBERS'] as const
    for (const event of changes) {
      await publishMembersChange(bus, platform.app, { id: randomUUID(), event, room, sender: alice, members: [bob] })
    }
    await closeBus(bus)
    await eventually('all', () => calls().length === 4)
    assert.deepEqual(events(calls()), ['ROOM', ...changes])
    for (const { body } of calls().slice(1)) {
      assert.deepEqual([body.clientID, body.data], [alice, { room, sender: alice, members: [bob] }])
    }
  })

  test('is called in the order of the room, each event until it is taken, also by several push processes', async () => {
    const others = await Promise.all([1, 2].map(() => platform.startPush({ PARLEY_PUSH_CALL_TIMEOUT_MS: '500' })))
    const rooms = await Promise.all([1, 2, 3].map(() => newRoom()))
    let count = 0
    server.behave = () => (++count % 40 === 0 ? { status: 500 } : { lateMS: count % 3 })
    await Promise.all(
      rooms.map(async ({ room }) => {
        for (let i = 0; i < 100; i += 5) {
          await Promise.all([1, 2, 3, 4, 5].map(() => platform.send(room, alice, { push: false })))
        }
      }),
    )
    const taken = (calls: readonly ReceivedCall[]) => calls.filter(({ status }) => status === 200)
    await eventually('all', () => rooms.every(({ calls }) => taken(calls()).length === 101), 60)
    for (const { calls } of rooms) {
      assert.deepEqual(
        taken(calls())
          .slice(1)
          .map(({ body }) => body.data.seq),
        Array.from({ length: 100 }, (_, i) => i + 1),
      )
      // A try that failed and its repetition are one delivery.
      assert.equal(new Set(calls().map(({ headers }) => headers['webhook-id'])).size, 101)
    }
    await Promise.all(others.map((other) => other.stop()))
  })

  for (const [what, behaviour] of [
    ['500', { status: 500 }],
    ['429', { status: 429, headers: { 'retry-after': '2' } }],
    ['a broken connection', 'reset'],
    ['no answer within the time limit', 'hang'],
  ] as const) {
    test(`is called again after ${what}, with the same webhook-id and data`, async () => {
      const { room, calls } = await newRoom()
      await eventually('the room', () => calls().length === 1)
      server.behave = ({ path }) => (path === calls()[0]?.path && calls().length === 2 ? behaviour : undefined)
      await platform.send(room, alice)
      await eventually('the second try', () => calls().length === 3 && calls()[2]?.status === 200)
      const [, first, second] = calls()
      assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
      assert.equal(first?.text, second?.text)
      assert.ok(Number(second?.atMS) - Number(first?.atMS) >= (what === '429' ? 2_000 : 750))
    })
  }

  test('what is refused or given up is a dead letter, what comes after it goes on; an admin replays it', async () => {
    const { room, calls } = await newRoom()
    await eventually('the room', () => calls().length === 1)
    const mine = (path: string) => path === calls()[0]?.path
    server.behave = ({ path, body }) => {
      if (!mine(path)) return undefined
      return { refuse: { status: 404 }, fail: { status: 503 } }[String(body.data.message)]
    }
    await platform.send(room, alice, { message: 'refuse' })
    await platform.send(room, alice, { message: 'fail' })
    await platform.send(room, alice, { message: 'good' })
    await eventually('the one after them', () => calls().at(-1)?.body.data.message === 'good', 30)
    const letters = await failed(room)
    assert.deepEqual(
      letters.map(({ lastError, data }) => [lastError, data.message]),
      [
        ['503', 'fail'],
        ['404', 'refuse'],
      ],
    )
    assert.equal(letters[1]?.tries, 1)
    assert.ok(Number(letters[0]?.tries) > 1)

    server.behave = () => undefined
    for (const { id } of letters) await platform.admin('POST', `/admin/webhooks/failed/${id}/retry`)
    const taken = () => calls().filter(({ status }) => status === 200)
    await eventually('both', () => taken().length === 4)
    const replayed = taken().slice(-2)
    assert.deepEqual(
      new Set(replayed.map(({ headers }) => headers['webhook-id'])),
      new Set(letters.map(({ id }) => id)),
    )
    assert.deepEqual(new Set(replayed.map(({ body }) => body.data.message)), new Set(['refuse', 'fail']))
    assert.deepEqual(await failed(room), [])
  })

  test('that hangs keeps no other from being called, and no push from being sent', async () => {
    const hanging = await startCallback()
    hanging.behave = () => 'hang'
    const stuck = await Promise.all(
      Array.from({ length: 60 }, () => platform.newRoom([alice, bob], { webhook: hanging.url })),
    )
    await eventually('they are tried', () => hanging.calls.length > 20)
    const carol = await platform.newUser(['ios'])
    const { room, calls } = await newRoom({ name: 'good' })
    const dave = await platform.newRoom([alice, carol])
    for (const one of stuck) await platform.send(one, alice, { push: false })
    for (let i = 0; i < 20; i++) await platform.send(room, alice)
    await platform.send(dave, alice)
    await eventually('all calls of the good one', () => calls().length === 21)
    await eventually('the push', () => platform.apns.pushes.some(({ token }) => token === `${carol}-ios`))
    assert.equal(hanging.calls.filter(({ status }) => status !== undefined).length, 0)
    await hanging.stop()
  })

  suite('answers', () => {
    let robot: string
    let token: string
    before(async () => {
      token = String((await platform.admin('POST', '/admin/clients', { _id: bob, issueAccessToken: true }))['token'])
      robot = await platform.newUser([], { isRobot: true })
    })

    async function history(room: string): Promise<{ message: unknown; sender: { _id: string }; seq: number }[]> {
      const headers = { 'im-client-key': platform.clientKey, 'im-authorization': token }
      const path = `/rooms/${room}/messages/v3?afterTime=0&limit=100`
      const { body } = await call(platform.gateway.url, 'GET', path, headers)
      return body.result['data'] as Awaited<ReturnType<typeof history>>
    }

    test('a message that a robot of the room says, and a bot state; neither is told to the webhook', async () => {
      const path = `/${randomUUID()}`
      const fields = { webhook: server.url + path, botState: 'start' }
      const room = await platform.newRoom([alice, bob, robot], fields)
      const calls = () => server.calls.filter((one) => one.path === path)
      const answer = { senderID: robot, toBotState: 'asked', data: { message: 'How are you?', messageType: 'text' } }
      server.behave = ({ body }) =>
        body.event === 'MESSAGE' && body.data.seq === 1 ? { body: JSON.stringify(answer) } : undefined
      const realtime = await platform.start('realtime')
      const socket = await connectClient(realtime.url, token)
      const states: string[] = []
      socket.on('room', ({ botState }: { botState: string }) => states.push(botState))

      await platform.send(room, alice)
      await eventually('the robot has spoken', async () => (await history(room)).length === 2)
      const said = (await history(room))[1]
      assert.deepEqual([said?.sender._id, said?.message], [robot, 'How are you?'])
      await eventually('the members know the new state', () => states.includes('asked'))
      await platform.send(room, alice, { message: 'fine' })
      await eventually('the next message', () => calls().some(({ body }) => body.data.message === 'fine'))
      assert.deepEqual(
        calls().map(({ body }) => [body.event, body.botState]),
        [
          ['ROOM', 'start'],
          ['MESSAGE', 'start'],
          ['MESSAGE', 'asked'],
        ],
      )
      socket.disconnect()
      await realtime.stop()
    })

    test('carried out once, however often it comes', async () => {
      const path = `/${randomUUID()}`
      const room = await platform.newRoom([alice, bob, robot], { webhook: server.url + path })
      const data = { message: 'once', messageType: 'text' }
      server.behave = (one) =>
        one.body.event === 'MESSAGE' ? { body: JSON.stringify({ senderID: robot, data }) } : undefined
      await platform.send(room, alice)
      await eventually('the robot has spoken', async () => (await history(room)).length === 2)
      const calls = platform.db.outgoingCalls
      const done = await eventually('it is done', () => calls.findOne({ room, event: 'MESSAGE', state: 'done' }))
      // As if the process had died between the answer and the note that it was done.
      await calls.updateOne({ _id: done._id }, { $set: { state: 'failed', data: '{}', failedAt: new Date() } })
      const tries = server.calls.length
      await platform.admin('POST', `/admin/webhooks/failed/${done._id}/retry`)
      await eventually('it was called again', () => server.calls.length > tries)
      await eventually('it is done', () => calls.findOne({ _id: done._id, state: 'done' }))
      assert.equal((await history(room)).length, 2)
    })

    for (const [what, senderID, answer] of [
      ['in the name of somebody who is no robot', () => alice, 'data'],
      ['in the name of a robot that is not in the room', () => robot, 'data'],
      ['that is no JSON', () => robot, 'text'],
    ] as const) {
      test(`nothing that is carried out: ${what}`, async () => {
        const { room, calls } = await newRoom()
        const data = { message: 'no', messageType: 'text' }
        server.behave = () => ({ body: answer === 'data' ? JSON.stringify({ senderID: senderID(), data }) : 'OK' })
        await platform.send(room, alice)
        await platform.send(room, alice, { message: 'next' })
        await eventually('the next message', () => calls().some(({ body }) => body.data?.message === 'next'))
        await eventually('both are done', async () => {
          const done = await platform.db.outgoingCalls.countDocuments({ room, state: 'done' })
          return done === 3
        })
        assert.equal((await history(room)).length, 2)
      })
    }
  })

  test('at a private address is not called, by whatever name, unless a setting allows it', async () => {
    await push.stop()
    const strict = await platform.startPush({ PARLEY_PUSH_ALLOW_PRIVATE_TARGETS: 'false' })
    const port = new URL(server.url).port
    const rooms = []
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0.0.0.0', '10.0.0.1']) {
      rooms.push(await platform.newRoom([alice, bob], { webhook: `http://${host}:${port}/ssrf` }))
    }
    for (const room of rooms) {
      const [letter] = await eventually('a dead letter', async () => {
        const letters = await failed(room)
        return letters.length > 0 ? letters : undefined
      })
      assert.equal(letter?.lastError, 'private target')
    }
    assert.equal(server.calls.filter(({ path }) => path === '/ssrf').length, 0)
    await strict.stop()
  })
})
