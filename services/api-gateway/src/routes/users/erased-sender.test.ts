import assert from 'node:assert/strict'
import { takeNextJob } from '@parley/chat/jobs/run-jobs'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { type Answer, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe('a user still in rooms after the erasure has begun', () => {
  let gateway: TestGateway
  let other: TestGateway
  let alice: TestUser
  let room: string
  let root: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    other = await gateway.another()
    alice = await gateway.newUser('alice')
    room = await gateway.newRoom([alice, await gateway.newUser('bob')])
    root = (await send(gateway, { sender: 'alice' })).body.result._id
    gateway.chat.jobs.afterMS = 0
  })
  afterAll(async () => {
    await gateway.chat.jobs.stop()
    await other.stop()
    await gateway.stop()
  })

  const send = (by: TestGateway, fields: object = {}) =>
    by.admin('POST', '/messages', { room, sender: 'bob', message: 'Hello', messageType: 'text', ...fields })
  const refused = ({ status, body }: Answer) => {
    assert.deepEqual([status, body.error?.code], [404, 'CLIENT_NOT_FOUND'], JSON.stringify(body))
    assert.match(body.error.message, /^sender: no user "bob"/)
  }
  /** Erases bob, and fails before they leave a room. */
  const beginErasure = async () => {
    const leaving = vi.spyOn(gateway.chat.db.reports, 'updateMany').mockRejectedValueOnce(new Error('on purpose'))
    assert.equal((await gateway.admin('DELETE', '/admin/clients/bob')).status, 202)
    await vi.waitUntil(() => gateway.chat.jobs.count === 0, { timeout: 100_000 })
    leaving.mockRestore()
    assert.equal((await alice.call('GET', `/rooms/${room}`)).body.result.memberCount, 2)
  }
  const endErasure = async () => {
    await gateway.chat.db.jobs.updateMany({ state: 'running' }, { $set: { leaseUntilMS: 0 } })
    await takeNextJob(gateway.chat)
    await vi.waitUntil(() => gateway.chat.jobs.count === 0, { timeout: 100_000 })
    assert.equal((await alice.call('GET', `/rooms/${room}`)).body.result.memberCount, 1)
  }

  test('cannot send: the sender must be an existing user, also at gateways that cache the room', async () => {
    for (const by of [gateway, other]) assert.equal((await send(by)).status, 200)
    await beginErasure()
    for (const by of [gateway, other]) refused(await send(by))
    refused(await send(gateway, { replyTo: root, thread: true }))
    refused(await gateway.admin('POST', `/rooms/${room}/message`, { sender: 'bob', message: 'x', messageType: 'text' }))
    await endErasure()
    for (const by of [gateway, other]) refused(await send(by))
    assert.equal((await alice.call('GET', `/rooms/${room}/messages/v3`)).body.result.totalCount, 3)
  })

  test('cannot send either if they were banned from the app; a later user of the ID can', async () => {
    await gateway.newUser('bob')
    await gateway.admin('POST', `/rooms/${room}/members`, { invitees: ['bob'] })
    assert.equal((await send(gateway)).status, 200)
    assert.equal((await gateway.admin('POST', '/admin/clients/bob/ban')).status, 200)
    assert.equal((await send(gateway)).body.error.code, 'USER_BANNED')
    await beginErasure()
    refused(await send(gateway))
    await endErasure()
    await gateway.newUser('bob')
    await gateway.admin('POST', `/rooms/${room}/members`, { invitees: ['bob'] })
    for (const by of [gateway, other]) assert.equal((await send(by)).status, 200)
  })
})
