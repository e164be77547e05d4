import assert from 'node:assert/strict'
import { runWorkers } from '@parley/chat/jobs/run-workers'
import { closeSilentStreams } from '@parley/chat/messages/end-stream'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { type Answer, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

const patient = { timeout: 60_000, interval: 100 }

describe('POST /messages/{id}/stream/end, when its response was lost,', () => {
  let gateway: TestGateway
  let robot: TestUser
  let bob: TestUser
  let room: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    robot = await gateway.newUser('robot', { isRobot: true })
    bob = await gateway.newUser('bob')
    room = await gateway.newRoom([robot, bob])
    await gateway.admin('POST', '/config', { censorship: { keywords: ['darn'] } })
  })
  afterAll(() => gateway.stop())

  const streamed = async (text: string, more: object = {}): Promise<string> => {
    const { _id } = (await robot.call('POST', '/messages/stream', { room, ...more })).body.result
    assert.equal((await robot.call('POST', `/messages/${_id}/stream`, { text })).status, 200)
    return _id
  }
  const end = (id: string, body: object = {}, by: TestUser = robot) =>
    by.call('POST', `/messages/${id}/stream/end`, body)
  const notFound = ({ status, body }: Answer) =>
    assert.deepEqual([status, body.error?.code], [404, 'MESSAGE_NOT_FOUND'])

  test('can be repeated by the robot and the integrator: it returns the message, without an event', async () => {
    for (const more of [{}, { replyTo: await streamed('root'), thread: true }]) {
      const id = await streamed('Hello', more)
      const first = (await end(id)).body.result
      assert.equal(first.message, 'Hello')
      const heard = await gateway.hear()
      assert.deepEqual((await end(id)).body.result, first)
      assert.deepEqual((await gateway.admin('POST', `/messages/${id}/stream/end`, {})).body.result, first)
      const last = await streamed('next')
      await heard.next('ai_streaming', ({ message }: { message: string }) => message === last)
      const events = heard.events.map(({ event }) => event)
      assert.ok(!events.includes('messageUpdated'), events.join())
    }
  })

  test('returns the message when repeated with its content; other content is refused', async () => {
    const id = await streamed('Hello')
    const message = { text: 'darn, done' }
    const first = (await end(id, { message })).body.result
    assert.notDeepEqual(first.message, message, 'it is censored')
    assert.deepEqual((await end(id, { message })).body.result, first)
    assert.deepEqual((await end(id)).body.result, first)
    notFound(await end(id, { message: 'other' }))
  })

  test('finds a message that was closed for silence meanwhile', async () => {
    const id = await streamed('Hello')
    const { messageStreams } = gateway.chat.db
    await messageStreams.updateOne({ message: id }, { $set: { closeAtMS: 1 } })
    const stop = new AbortController()
    const closing = runWorkers(gateway.chat, [closeSilentStreams(gateway.chat)], stop.signal)
    await vi.waitFor(async () => assert.equal(await messageStreams.countDocuments({ message: id }), 0), patient)
    stop.abort()
    await closing
    assert.equal((await end(id)).body.result.message, 'Hello')
    notFound(await end(id, { message: 'too late' }))
  })

  test('does not find a message that was deleted or that another user sent', async () => {
    const id = await streamed('Hello')
    await end(id)
    notFound(await end(id, {}, bob))
    await gateway.admin('DELETE', `/rooms/${room}/messages/${id}`)
    notFound(await end(id))
    const { body } = await bob.call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'text' })
    await gateway.chat.flusher.drained()
    notFound(await end(body.result._id, {}, bob))
    notFound(await gateway.admin('POST', `/messages/${body.result._id}/stream/end`, {}))
  })
})
