import assert from 'node:assert/strict'
import { messageOrderingKey, roomOrderingKey } from '@parley/chat/events/ordering-keys'
import { afterAll, beforeAll, beforeEach, describe, test, vi } from 'vitest'
import { type Answer, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

const patient = { timeout: 60_000, interval: 20 }

describe('a change that waits for a lock masks words listed meanwhile', () => {
  let gateway: TestGateway
  let robot: TestUser
  let room: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    robot = await gateway.newUser('robot', { isRobot: true })
    room = await gateway.newRoom([robot])
  })
  afterAll(() => gateway.stop())
  beforeEach(() => gateway.admin('DELETE', '/config/censorship'))

  const sent = async (message: string): Promise<string> =>
    (await robot.call('POST', `/rooms/${room}/message`, { message, messageType: 'text' })).body.result._id
  /** The stored text of a change that was requested before the words changed, and made after. */
  async function changedLater(turn: string, change: () => Promise<Answer>): Promise<unknown> {
    const { locks } = gateway.chat.db
    const held = Promise.withResolvers<void>()
    const holder = locks.run([turn], () => held.promise)
    const run = vi.spyOn(locks, 'run')
    const changing = change()
    try {
      await vi.waitFor(() => assert.ok(run.mock.calls.some(([keys]) => keys.includes(turn))), patient)
      const censorship = { keywords: ['darn'] }
      assert.equal((await gateway.admin('POST', '/config', { censorship })).status, 200)
    } finally {
      run.mockRestore()
      held.resolve()
    }
    await holder
    const { status, body } = await changing
    assert.equal(status, 200, JSON.stringify(body))
    return body.result.message
  }

  test('a message of a thread', async () => {
    const draft = { message: 'darn it', messageType: 'text', replyTo: await sent('root'), thread: true }
    const send = () => robot.call('POST', `/rooms/${room}/message`, draft)
    assert.equal(await changedLater(roomOrderingKey(gateway.app, room), send), '**** it')
  })

  test('an edit', async () => {
    const id = await sent('before')
    const edit = () => robot.call('POST', `/rooms/${room}/message`, { _id: id, message: 'darn it' })
    assert.equal(await changedLater(messageOrderingKey(id), edit), '**** it')
  })

  test('the end of a stream', async () => {
    const id = (await robot.call('POST', '/messages/stream', { room })).body.result._id
    await robot.call('POST', `/messages/${id}/stream`, { text: 'darn it' })
    const end = () => robot.call('POST', `/messages/${id}/stream/end`, {})
    assert.equal(await changedLater(messageOrderingKey(id), end), '**** it')
  })
})
