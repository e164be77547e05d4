import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startTestGateway, type TestGateway, type TestUser } from '../test-gateway.ts'

suite('POST /messages', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let room: string

  before(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice', { nickname: 'Alice' })
    bob = await gateway.newUser('b.o b*>"😀')
    room = await gateway.newRoom([alice, bob])
  })
  after(() => gateway.stop())

  test('answers the message with the sender as a plain user ID', async () => {
    const sent = { room, sender: alice.id, message: 'Hello', messageType: 'text' }
    const { status, body } = await gateway.admin('POST', '/messages', sent)
    assert.equal(status, 200)
    assert.equal(body.RC, 0)
    assert.partialDeepStrictEqual(body.result, { ...sent, appID: gateway.app })
    assert.equal(body.result._id, body.result.id)
    assert.equal(body.result.messageTimeMS, body.result.createdAtMS)
  })

  test('publishes chat message with the sender as an object', async () => {
    const heard = await gateway.hear()
    const { body } = await gateway.admin('POST', '/messages', {
      room,
      sender: bob.id,
      message: { a: 1 },
      messageType: 'x',
    })
    const { payload, to } = await heard.next('chat message', ({ _id }: { _id: string }) => _id === body.result._id)
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
