import assert from 'node:assert/strict'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe('a room whose process was killed in the middle of a transaction', () => {
  let gateway: TestGateway
  let alice: TestUser
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
  })
  afterAll(() => gateway.stop())

  test('accepts messages again: the next waiting sender aborts the transaction', async () => {
    const room = await gateway.newRoom([alice])
    const { client, rooms } = gateway.chat.db
    // A dead process, as the server sees it: nothing more comes in this session.
    const session = client.startSession()
    session.startTransaction()
    await rooms.updateOne({ _id: key(gateway.app, room) }, { $set: { name: 'never' } }, { session })
    const send = { message: 'Hello', messageType: 'text' }
    const { status, body } = await alice.call('POST', `/rooms/${room}/message`, send)
    assert.deepEqual([status, body.result?.seq], [200, 1], JSON.stringify(body))
    await assert.rejects(session.commitTransaction())
    await session.endSession()
    assert.notEqual((await alice.call('GET', `/rooms/${room}`)).body.result.name, 'never')
  })
})
