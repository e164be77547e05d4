import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connectBus } from '@parley/bus/connect'
import { publishMembersChange } from '@parley/bus/events/publish'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { type ReceivedCall, startCallback } from '../doubles/callback.ts'
import { eventually, type RunningService } from '../platform.ts'
import { callTimeoutMS, startWebhookPlatform, type WebhookPlatform } from './test-webhooks.ts'

describe("a room's webhook", () => {
  let platform: WebhookPlatform
  let alice: string
  let bob: string
  let push: RunningService

  beforeAll(async () => {
    platform = await startWebhookPlatform()
    push = await platform.startPush({ PARLEY_PUSH_CALL_TIMEOUT_MS: String(callTimeoutMS) })
    alice = await platform.newUser([], { nickname: 'Alice' })
    bob = await platform.newUser()
  })
  afterAll(() => platform.stop())
  beforeEach(() => {
    platform.hooks.behave = () => undefined
  })

  const newRoom = (fields?: object) => platform.newHookedRoom([alice, bob], fields)
  const events = (calls: readonly ReceivedCall[]) => calls.map(({ body }) => body.event)

  test('gets a typed command if a robot of the room has it', async () => {
    const commands = [{ name: 'help', description: 'What I can do' }]
    const robot = await platform.newUser([], { isRobot: true, commands })
    const { room, calls } = await platform.newHookedRoom([alice, robot])
    const texts = ['/Help  me\nplease ', { text: '/help' }, '/helpless', 'no /help', '/other']
    for (const message of texts) await platform.send(room, alice, { message })
    await platform.send(room, robot, { message: '/help' })
    const sent = () => calls().filter(({ body }) => body.event === 'MESSAGE')
    await eventually('all of them', () => sent().length === texts.length + 1)
    const help = { name: 'help', robots: [robot] }
    assert.deepEqual(
      sent().map(({ body }) => body.command),
      [{ ...help, text: 'me\nplease' }, { ...help, text: '' }, ...Array.from({ length: 4 })],
    )
    assert.equal(sent()[0]?.body.clientID, alice)
  })

  test('gets ROOM, MESSAGE, MESSAGE_UPDATED and MESSAGE_DELETED, signed by Standard Webhooks', async () => {
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

  test('gets the acting user as clientID, and no clientID for the API key', async () => {
    const { room, calls } = await newRoom({ owner: bob })
    const message = await platform.send(room, alice)
    const [path, one] = [`/messages/${message}`, `/rooms/${room}/messages`]
    await platform.as(bob, 'POST', `${path}/reaction`, { reaction: '👍' })
    await platform.as(bob, 'POST', `${path}/pin`)
    await platform.as(bob, 'DELETE', `${one}/${message}`)
    await platform.admin('DELETE', `${one}/${await platform.send(room, alice)}`)
    await platform.as(bob, 'DELETE', `${one}/_all`)
    await platform.as(bob, 'PUT', `/rooms/${room}`, { name: 'By Bob' })
    await platform.as(bob, 'PUT', `/rooms/${room}/member/${alice}`, { property: 'role', value: 'admin' })
    await platform.admin('PUT', `/rooms/${room}`, { name: 'By the API key' })
    await platform.as(alice, 'POST', `/rooms/${room}/delete/members`, { members: [alice] })
    const expected = [
      ['ROOM', ''],
      ['MESSAGE', alice],
      ['MESSAGE_UPDATED', bob],
      ['MESSAGE_UPDATED', bob],
      ['MESSAGE_DELETED', bob],
      ['MESSAGE', alice],
      ['MESSAGE_DELETED', ''],
      ['MESSAGE_DELETED', bob],
      ['ROOM', bob],
      ['ROOM', bob],
      ['ROOM', ''],
      ['ROOM', alice],
      ['DELETE_MEMBERS', alice],
    ]
    await eventually('all of them', () => calls().length === expected.length)
    const inOrder = (all: string[][]) => all.map((pair) => pair.join(' ')).toSorted()
    assert.deepEqual(inOrder(calls().map(({ body }) => [body.event, body.clientID])), inOrder(expected))
    for (const { body } of calls()) if (body.event === 'ROOM') assert.equal(body.data.sender, body.clientID)
  })

  test('gets JOIN_ROOM, ADD_MEMBERS and DELETE_MEMBERS with {room, sender, members}', async () => {
    const { room, calls } = await newRoom()
    const bus = await connectBus(platform.servers.natsUrl, 'test')
    const changes = ['JOIN_ROOM', 'ADD_MEMBERS', 'DELETE_MEMBERS'] as const
    for (const event of changes) {
      await publishMembersChange(bus, platform.app, { id: randomUUID(), event, room, sender: alice, members: [bob] })
    }
    await bus.close()
    await eventually('all', () => calls().length === 4)
    assert.deepEqual(events(calls()), ['ROOM', ...changes])
    for (const { body } of calls().slice(1)) {
      assert.deepEqual([body.clientID, body.data], [alice, { room, sender: alice, members: [bob] }])
    }
  })

  test('gets calls in the room’s order, each until accepted, even with several push processes', async () => {
    const others = await Promise.all(
      [1, 2].map(() => platform.startPush({ PARLEY_PUSH_CALL_TIMEOUT_MS: String(callTimeoutMS) })),
    )
    const rooms = await Promise.all([1, 2, 3].map(() => newRoom()))
    let count = 0
    platform.hooks.behave = () => (++count % 40 === 0 ? { status: 500 } : { lateMS: count % 3 })
    await Promise.all(
      rooms.map(async ({ room }) => {
        for (let i = 0; i < 100; i += 5) {
          await Promise.all([1, 2, 3, 4, 5].map(() => platform.send(room, alice, { push: false })))
        }
      }),
    )
    const taken = (calls: readonly ReceivedCall[]) => calls.filter(({ status }) => status === 200)
    await eventually('all', () => rooms.every(({ calls }) => taken(calls()).length === 101))
    for (const { calls } of rooms) {
      assert.deepEqual(
        taken(calls())
          .slice(1)
          .map(({ body }) => body.data.seq),
        Array.from({ length: 100 }, (_, i) => i + 1),
      )
      // A failed attempt and its retry have the same webhook-id.
      assert.equal(new Set(calls().map(({ headers }) => headers['webhook-id'])).size, 101)
    }
    await Promise.all(others.map((other) => other.stop()))
  })

  for (const [what, behaviour] of [
    ['500', { status: 500 }],
    ['429', { status: 429, headers: { 'retry-after': '2' } }],
    ['a broken connection', 'reset'],
  ] as const) {
    test(`is retried after ${what}, with the same webhook-id and data`, async () => {
      const { room, calls } = await newRoom()
      await eventually('the room', () => calls().length === 1)
      platform.hooks.behave = ({ path }) => (path === calls()[0]?.path && calls().length === 2 ? behaviour : undefined)
      await platform.send(room, alice)
      await eventually('the second try', () => calls().length === 3 && calls()[2]?.status === 200)
      const [, first, second] = calls()
      assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
      assert.equal(first?.text, second?.text)
      assert.ok(Number(second?.atMS) - Number(first?.atMS) >= (what === '429' ? 2_000 : 750))
    })
  }

  test('that hangs does not delay other webhooks or pushes', async () => {
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

  test('at a private address is not called, under any host name, unless a setting allows it', async () => {
    await push.stop()
    const strict = await platform.startPush({ PARLEY_PUSH_ALLOW_PRIVATE_TARGETS: 'false' })
    const { port } = new URL(platform.hooks.url)
    const rooms = []
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0.0.0.0', '10.0.0.1']) {
      rooms.push(await platform.newRoom([alice, bob], { webhook: `http://${host}:${port}/ssrf` }))
    }
    for (const room of rooms) {
      const [letter] = await eventually('a dead letter', async () => {
        const letters = await platform.failedCalls(room)
        return letters.length > 0 ? letters : undefined
      })
      assert.equal(letter?.lastError, 'private target')
    }
    assert.equal(platform.hooks.calls.filter(({ path }) => path === '/ssrf').length, 0)
    await strict.stop()
  })
})
