import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe('POST /messages/stream', () => {
  let gateway: TestGateway
  let robot: TestUser
  let room: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    robot = await gateway.newUser('robot', { isRobot: true })
    room = await gateway.newRoom([robot])
  })
  afterAll(() => gateway.stop())

  const open = (more: object = {}) => robot.call('POST', '/messages/stream', { room, ...more })
  const history = async () => (await robot.call('GET', `/rooms/${room}/messages/v3`)).body.result.data
  const streams = () => gateway.chat.db.messageStreams.countDocuments()

  test('sends no message whose end nobody would notice: what is known of the stream is written first', async () => {
    const { mongo } = gateway.chat.db
    const only = (validator: object) => mongo.command({ collMod: 'messageStreams', validator })
    await only({ never: { $exists: true } })
    assert.equal((await open()).status, 500)
    assert.deepEqual(await history(), [])
    await only({})
    assert.equal((await open()).status, 200)
    assert.equal(await streams(), 1)
  })

  test('what is refused, or was opened before under the same clientMessageID, leaves no further stream', async () => {
    const before = await streams()
    assert.equal((await open({ room: 'no room' })).status, 404)
    assert.equal(await streams(), before)
    const [first, again] = [await open({ clientMessageID: 'one' }), await open({ clientMessageID: 'one' })]
    assert.equal(again.body.result._id, first.body.result._id)
    assert.equal(await streams(), before + 1)
    const { _id } = first.body.result
    assert.equal((await robot.call('POST', `/messages/${_id}/stream`, { text: 'Hello' })).status, 200)
    assert.equal((await robot.call('POST', `/messages/${_id}/stream/end`)).body.result.message, 'Hello')
    assert.equal(await streams(), before)
  })
})
