import assert from 'node:assert/strict'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { connectClient, eventually } from '../platform.ts'
import { callTimeoutMS, startWebhookPlatform, type WebhookPlatform } from './test-webhooks.ts'

interface Heard {
  _id: string
  message: unknown
  sender: { _id: string }
  seq: number
  replyTo?: { _id: string }
}

describe("the response of a room's webhook is", () => {
  let platform: WebhookPlatform
  let alice: string
  let bob: string
  let robot: string

  beforeAll(async () => {
    platform = await startWebhookPlatform()
    await platform.startPush({ PARLEY_PUSH_CALL_TIMEOUT_MS: String(callTimeoutMS) })
    alice = await platform.newUser([], { nickname: 'Alice' })
    bob = await platform.newUser()
    robot = await platform.newUser([], { isRobot: true })
  })
  afterAll(() => platform.stop())
  beforeEach(() => {
    platform.hooks.behave = () => undefined
  })

  async function history(room: string): Promise<Heard[]> {
    const { data } = await platform.as(bob, 'GET', `/rooms/${room}/messages/v3?afterTime=0&limit=100`)
    return data as Awaited<ReturnType<typeof history>>
  }

  test('sent as a message of the room’s robot, and stored as bot state, neither of which calls the webhook', async () => {
    const { room, calls } = await platform.newHookedRoom([alice, bob, robot], { botState: 'start' })
    const said = { message: 'How are you?', messageType: 'text' }
    const answerTo = (replyTo: string) => ({ senderID: robot, toBotState: 'asked', data: { ...said, replyTo } })
    platform.hooks.behave = ({ body }) =>
      body.event === 'MESSAGE' && body.data.seq === 1 ? { body: JSON.stringify(answerTo(body.data._id)) } : undefined
    const realtime = await platform.start('realtime')
    const socket = await connectClient(realtime.url, platform.tokenOf(bob))
    const states: string[] = []
    socket.on('room', ({ _id, botState }: { _id: string; botState: string }) => {
      if (_id === room) states.push(botState)
    })

    await platform.send(room, alice)
    await eventually('the robot has sent its message', async () => (await history(room)).length === 2)
    const [asked, answer] = await history(room)
    assert.deepEqual([answer?.sender._id, answer?.message, answer?.replyTo?._id], [robot, 'How are you?', asked?._id])
    await eventually('the members get the room, without its state', () => states.length > 0 && states[0] === '')
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

  test('applied once, however often it arrives', async () => {
    const { room } = await platform.newHookedRoom([alice, bob, robot])
    const data = { message: 'once', messageType: 'text' }
    platform.hooks.behave = (one) =>
      one.body.event === 'MESSAGE'
        ? { body: JSON.stringify({ senderID: robot, toBotState: null, data: { ...data, replyTo: null } }) }
        : undefined
    await platform.send(room, alice)
    await eventually('the robot has sent its message', async () => (await history(room)).length === 2)
    const noted = platform.db.outgoingCalls
    const done = await eventually('it is done', () => noted.findOne({ room, event: 'MESSAGE', state: 'done' }))
    // As if the process had died between the response and recording it.
    const failed = { state: 'failed' as const, data: '{}', failedAt: new Date() }
    await noted.updateOne({ _id: done._id }, { $set: failed, $unset: { isAnswered: 1 } })
    const tries = platform.hooks.calls.length
    await platform.admin('POST', `/admin/webhooks/failed/${done._id}/retry`)
    await eventually('it was called again', () => platform.hooks.calls.length > tries)
    await eventually('it is done', () => noted.findOne({ _id: done._id, state: 'done' }))
    assert.equal((await history(room)).length, 2)
  })

  test('not applied again when an admin retries the call, at any later time', async () => {
    const { room, calls } = await platform.newHookedRoom([alice, bob, robot])
    const data = { message: 'once', messageType: 'text' }
    const answer = (fields: object) => ({ body: JSON.stringify({ toBotState: 'a', ...fields }) })
    const behaviours = [{ body: 'OK' }, answer({ senderID: bob, data }), answer({ senderID: robot, data })]
    platform.hooks.behave = (one) => (one.body.event === 'MESSAGE' ? behaviours.shift() : undefined)
    await platform.send(room, alice)
    const { db } = platform
    const isDone = async (tries: number) => {
      const [call] = await db.outgoingCalls.find({ room, event: 'MESSAGE', state: 'done', tries }).toArray()
      return call
    }
    const again = async (tries: number) => {
      const { _id } = await eventually('it is made', () => isDone(tries))
      await platform.admin('POST', `/admin/webhooks/calls/${_id}/retry`)
      await eventually('it is made again', () => isDone(tries + 1))
    }
    // After an empty and a refused response, a retry's response is applied.
    await again(1)
    assert.equal((await history(room)).length, 1)
    await again(2)
    assert.equal((await history(room)).length, 2)

    await platform.admin('PUT', `/rooms/${room}`, { botState: 'b' })
    // As the database's expiry does after a day.
    const [, said = assert.fail()] = await history(room)
    await eventually('its key is stored, and gone', async () => {
      return (await db.sendKeys.deleteMany({ message: said._id })).deletedCount === 1
    })
    behaviours.push(answer({ senderID: robot, data }))
    await again(3)
    assert.equal((await history(room)).length, 2)
    await platform.send(room, alice, { message: 'next' })
    await eventually('the next call', () => calls().at(-1)?.body.data.message === 'next')
    assert.equal(calls().at(-1)?.body.botState, 'b')
  })

  for (const [what, senderID, answer] of [
    ['in the name of a user who is not a robot', () => alice, 'data'],
    ['in the name of a robot that is not in the room', () => robot, 'data'],
    ['that is not JSON', () => robot, 'text'],
  ] as const) {
    test(`not applied: ${what}`, async () => {
      const { room, calls } = await platform.newHookedRoom([alice, bob])
      const data = { message: 'no', messageType: 'text' }
      platform.hooks.behave = () => ({
        body: answer === 'data' ? JSON.stringify({ senderID: senderID(), data }) : 'OK',
      })
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
