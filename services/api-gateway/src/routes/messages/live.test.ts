import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { refused } from '../../test-refused.ts'

let gateway: TestGateway
let alice: TestUser
let stranger: TestUser
let room: string

beforeAll(async () => {
  gateway = await startTestGateway()
  alice = await gateway.newUser('alice')
  const robot = await gateway.newUser('robot', { isRobot: true })
  stranger = await gateway.newUser('stranger')
  room = await gateway.newRoom([alice, robot])
})
afterAll(() => gateway.stop())

describe('POST /rooms/{id}/typing', () => {
  test('emits typing with sender to the room, except to the caller, and stores nothing', async () => {
    const heard = await gateway.hear()
    const { status, body } = await alice.call('POST', `/rooms/${room}/typing`, { message: 'Hel' })
    assert.deepEqual([status, body.result], [200, {}])
    const { payload, to, incoming } = await heard.next('typing')
    assert.deepEqual(payload, { room, message: 'Hel', sender: 'alice' })
    assert.deepEqual([to, incoming.exceptUser], [{ app: gateway.app, room }, 'alice'])
    assert.equal((await alice.call('GET', `/rooms/${room}/messages/v3`)).body.result.totalCount, 0)
  })

  test('errors', async () => {
    refused(await stranger.call('POST', `/rooms/${room}/typing`, { message: '' }), 403, 'NOT_ROOM_MEMBER')
    refused(await alice.call('POST', '/rooms/none/typing', { message: '' }), 404, 'ROOM_NOT_FOUND')
    refused(await alice.call('POST', `/rooms/${room}/typing`, {}), 400, 'MISSING_PARAMETER')
  })
})

describe('a frozen room (status 0)', () => {
  test('refuses typing, streamed text, reactions and pins with 403 ROOM_FROZEN until it is 1 again', async () => {
    const frozen = await gateway.newRoom([alice, await gateway.newUser('frozen robot', { isRobot: true })])
    const sent = { room: frozen, sender: 'alice', message: 'x', messageType: 'text' }
    const { _id } = (await gateway.admin('POST', '/messages', sent)).body.result
    const reaction = `/messages/${_id}/reaction`
    const freeze = async (status: 0 | 1) =>
      assert.equal((await gateway.admin('PUT', `/rooms/${frozen}`, { status })).status, 200)
    const all = async () => [
      await alice.call('POST', `/rooms/${frozen}/typing`, { message: 'Hel' }),
      await gateway.admin('POST', `/rooms/${frozen}/aiStreaming`, { sender: 'frozen robot', text: 'x' }),
      await alice.call('POST', reaction, { reaction: 'y' }),
      await alice.call('DELETE', `${reaction}?reaction=y`),
      await alice.call('POST', `/messages/${_id}/pin`),
      await alice.call('DELETE', `/messages/${_id}/pin`),
    ]
    await freeze(0)
    for (const answer of await all()) refused(answer, 403, 'ROOM_FROZEN')
    await freeze(1)
    for (const { status } of await all()) assert.equal(status, 200)
  })
})

describe('POST /rooms/{id}/aiStreaming', () => {
  const stream = (sender: string, text: unknown = 'Once', to = room) =>
    gateway.admin('POST', `/rooms/${to}/aiStreaming`, { sender, text })

  test("emits a robot's ai_streaming to the room and stores nothing", async () => {
    const heard = await gateway.hear()
    assert.deepEqual((await stream('robot')).body.result, {})
    const { payload, to } = await heard.next('ai_streaming')
    assert.deepEqual(payload, { room, sender: 'robot', text: 'Once' })
    assert.deepEqual(to, { app: gateway.app, room })
    assert.equal((await alice.call('GET', `/rooms/${room}/messages/v3`)).body.result.totalCount, 0)
  })

  test('errors', async () => {
    refused(await stream('alice'), 403, 'INSUFFICIENT_PERMISSIONS')
    refused(await stream('nobody'), 404, 'CLIENT_NOT_FOUND')
    refused(await stream('robot', 'x', 'none'), 404, 'ROOM_NOT_FOUND')
    refused(await stream('robot', 7), 400, 'INVALID_REQUEST')
    refused(
      await alice.call('POST', `/rooms/${room}/aiStreaming`, { sender: 'robot', text: 'x' }),
      401,
      'INVALID_API_KEY',
    )
    await gateway.newUser('lonely', { isRobot: true })
    refused(await stream('lonely'), 403, 'NOT_ROOM_MEMBER')
  })
})
