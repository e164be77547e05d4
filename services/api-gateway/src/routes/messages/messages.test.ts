import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe('POST /messages', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let room: string

  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice', { nickname: 'Alice' })
    bob = await gateway.newUser('b.o b*>"😀')
    room = await gateway.newRoom([alice, bob])
  })
  afterAll(() => gateway.stop())

  test('returns the message with the sender as a plain user ID', async () => {
    proves('POST /messages', 'body.room', 'body.sender', 'body.message', 'body.messageType', 'result._id')
    proves('POST /messages', 'result.room', 'result.message', 'result.messageType', 'result.sender as a string')
    proves('POST /messages', 'result.appID', 'result.messageTimeMS', 'result.updatedAtMS', 'result.createdAtMS')
    const sent = { room, sender: alice.id, message: 'Hello', messageType: 'text' }
    const { status, body } = await gateway.admin('POST', '/messages', sent)
    assert.equal(status, 200)
    assert.equal(body.RC, 0)
    assert.partialDeepStrictEqual(body.result, { ...sent, appID: gateway.app })
    assert.equal(body.result._id, body.result.id)
    const { messageTimeMS, createdAtMS, updatedAtMS } = body.result
    assert.ok(Number.isInteger(messageTimeMS) && Math.abs(messageTimeMS - Date.now()) < 60_000)
    assert.deepEqual([createdAtMS, updatedAtMS], [messageTimeMS, messageTimeMS])
  })

  test('publishes chat message with the sender as an object', async () => {
    proves('Message', 'sender is an object in reads and events, a string where it was sent')
    const heard = await gateway.hear()
    const { body } = await gateway.admin('POST', '/messages', {
      room,
      sender: bob.id,
      message: { a: 1 },
      messageType: 'x',
    })
    const { payload, to } = await heard.next('chat message', ({ _id }: { _id: string }) => _id === body.result._id)
    assert.equal(body.result.sender, bob.id)
    assert.deepEqual(to, { app: gateway.app, room })
    assert.partialDeepStrictEqual(payload, {
      _id: body.result._id,
      message: { a: 1 },
      sender: { _id: bob.id, nickname: '' },
    })
  })

  for (const field of ['room', 'sender', 'message', 'messageType']) {
    test(`without ${field} is 400 MISSING_PARAMETER naming the field`, async () => {
      const whole = { room, sender: alice.id, message: 'x', messageType: 'text' }
      const { status, body } = await gateway.admin('POST', '/messages', { ...whole, [field]: undefined })
      assert.equal(status, 400)
      assert.deepEqual(body, {
        RC: 400,
        RM: body.RM,
        error: { code: 'MISSING_PARAMETER', message: `${field} is required` },
      })
    })
  }
})
