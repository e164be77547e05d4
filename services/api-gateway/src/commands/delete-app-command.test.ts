import assert from 'node:assert/strict'
import { type DeleteAppParts, deleteApp } from '@parley/chat/access/apps'
import { hasAppDocs } from '@parley/db/apps/app-deletion'
import { key } from '@parley/db/keys'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { newId } from '@parley/db/messages/messages'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

describe('deleting an app', () => {
  let gateway: TestGateway
  const settling = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  beforeAll(async () => {
    gateway = await startTestGateway({
      atPoint: (point) => {
        if (point !== 'taken') return undefined
        settling.resolve()
        return held.promise
      },
    })
  })
  afterAll(() => gateway.stop())

  async function deleteIt(inFlightIsOver: () => Promise<void>): Promise<void> {
    const { db, bus, control } = gateway.chat
    const quiet: Pick<DeleteAppParts, 'say' | 'onProgress'> = { say: () => undefined, onProgress: () => undefined }
    await deleteApp({ db, bus, control, ...quiet, inFlightIsOver }, gateway.app)
  }
  async function letFlush(): Promise<void> {
    held.resolve()
    await gateway.chat.flusher.drained()
  }

  test('removes a message that is flushed after its room is gone', async () => {
    const { db } = gateway.chat
    const alice = await gateway.newUser('alice')
    const room = await gateway.newRoom([alice])
    const message = { message: 'x', messageType: 'text', clientMessageID: 'once' }
    assert.equal((await alice.call('POST', `/rooms/${room}/message`, message)).status, 200)
    await settling.promise
    await deleteIt(letFlush)
    await letFlush()
    assert.deepEqual([(await findAllMessages(db, {})).length, await db.sendKeys.countDocuments({})], [0, 0])
    assert.equal(await hasAppDocs(db, gateway.app), false)
  })

  test('can run again after the app is gone, for later writes', async () => {
    const { db } = gateway.chat
    const { app } = gateway
    const of = { app, room: 'room', roomKey: key(app, 'room'), sender: 'alice', seq: 1 }
    const rest = { content: '"x"', messageType: 'text', createdAtMS: 1, updatedAtMS: 1 }
    await db.messages.insertOne({ _id: newId(), ...of, ...rest })
    assert.equal(await hasAppDocs(db, app), true)
    await deleteIt(() => Promise.resolve())
    assert.equal(await hasAppDocs(db, app), false)
  })
})
