import assert from 'node:assert/strict'
import { sendMessage } from '@parley/chat/send/send-message'
import { ApiError } from '@parley/contracts/errors'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Answer, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

let gateway: TestGateway
let other: TestGateway
let owner: TestUser
let bob: TestUser
beforeAll(async () => {
  gateway = await startTestGateway()
  other = await gateway.another()
  owner = await gateway.newUser('owner')
  bob = await gateway.newUser('bob')
})
afterAll(async () => {
  await other.stop()
  await gateway.stop()
})

const hour = 3_600
const newRoom = (fields: object) => gateway.newRoom([owner, bob], { owner: 'owner', ...fields })
const send = (by: TestUser, room: string, more: object = {}) =>
  by.call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'text', ...more })
/** As the user's socket on another node would; the time of the message, or undefined in slow mode. */
async function sendVia(via: TestGateway, room: string): Promise<number | undefined> {
  const message = { app: via.app, room, sender: 'bob', message: 'x', messageType: 'text', push: true, byClient: true }
  try {
    return (await sendMessage(via.chat, message)).createdAtMS
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'SLOW_MODE', String(error))
    return undefined
  }
}
function isSlow({ status, body, headers }: Answer): void {
  assert.deepEqual([status, body.error?.code], [429, 'SLOW_MODE'], JSON.stringify(body))
  const { retryAfterMS } = body.error
  assert.ok(retryAfterMS > 0 && retryAfterMS <= hour * 1_000, String(retryAfterMS))
  assert.equal(Number(headers.get('retry-after')), Math.ceil(retryAfterMS / 1_000))
}

describe('slowModeS of a room', () => {
  test('lets a member send one message per interval, even concurrently through several gateways', async () => {
    const room = await newRoom({ slowModeS: 1 })
    const times: number[] = []
    while (times.length < 3) {
      const tries = Array.from({ length: 6 }, (_, i) => sendVia(i % 2 ? gateway : other, room))
      times.push(...(await Promise.all(tries)).filter((time) => time !== undefined))
    }
    const inOrder = times.toSorted((a, b) => a - b)
    for (const [i, time] of inOrder.slice(1).entries()) assert.ok(time - (inOrder[i] ?? 0) >= 1_000, String(inOrder))
  })

  test('answers 429 SLOW_MODE with Retry-After, even if the last message was deleted or flushed, but not to a repeat', async () => {
    const room = await newRoom({ slowModeS: hour })
    const first = await send(bob, room, { clientMessageID: 'once' })
    assert.equal(first.status, 200)
    isSlow(await send(bob, room))
    await gateway.chat.flusher.drained()
    isSlow(await send(bob, room))
    assert.equal((await send(bob, room, { clientMessageID: 'once' })).body.result._id, first.body.result._id)
    await gateway.admin('DELETE', `/rooms/${room}/messages/_all`)
    isSlow(await send(bob, room))
    const own = await bob.call('POST', `/rooms/${room}/message`, { _id: first.body.result._id, messageType: 'recall' })
    assert.equal(own.status, 404)
  })

  test('exempts the owner, managers, robots and the API key', async () => {
    const robot = await gateway.newUser('robot', { isRobot: true })
    const room = await gateway.newRoom([owner, bob, robot], { owner: 'owner', slowModeS: hour })
    for (const by of [owner, robot, owner, robot]) assert.equal((await send(by, room)).status, 200)
    for (const status of [200, 200]) {
      const body = { room, sender: 'bob', message: 'x', messageType: 'text' }
      assert.equal((await gateway.admin('POST', '/messages', body)).status, status)
    }
    isSlow(await send(bob, room))
    await gateway.admin('PUT', `/rooms/${room}/member/bob`, { property: 'role', value: 'admin' })
    assert.equal((await send(bob, room)).status, 200)
  })

  test('is set with the room, shown in it, and applies and ends at once on a gateway that caches the room', async () => {
    const room = await newRoom({})
    for (let i = 0; i < 5; i++) assert.notEqual(await sendVia(other, room), undefined)
    assert.equal((await bob.call('PUT', `/rooms/${room}`, { slowModeS: hour })).status, 403)
    const changed = await owner.call('PUT', `/rooms/${room}`, { slowModeS: hour })
    assert.equal(changed.body.result.slowModeS, hour)
    assert.equal(await sendVia(other, room), undefined)
    assert.equal((await bob.call('GET', `/rooms/${room}`)).body.result.slowModeS, hour)
    const off = await owner.call('PUT', `/rooms/${room}`, { slowModeS: 0 })
    assert.deepEqual([off.status, off.body.result.slowModeS], [200, undefined])
    assert.notEqual(await sendVia(other, room), undefined)
    for (const slowModeS of [-1, 0.5, 86_401, '5']) {
      const { status, body } = await owner.call('PUT', `/rooms/${room}`, { slowModeS })
      assert.deepEqual([status, /slowModeS/.test(body.error.message)], [400, true])
    }
  })
})
