import assert from 'node:assert/strict'
import { key } from '@parley/db/keys'
import { eventually } from '@parley/stack/eventually'
import { testServers } from '@parley/stack/test-servers'
import { afterAll, beforeAll, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'
import { type MongoProxy, openMongoProxy } from '../../test-mongo-proxy.ts'

let proxy: MongoProxy
let gateway: TestGateway
beforeAll(async () => {
  const servers = await testServers()
  proxy = await openMongoProxy(Number(new URL(servers.mongoUrl).port))
  const mongoUrl = `mongodb://127.0.0.1:${proxy.port}/test?directConnection=true`
  gateway = await startTestGateway({ servers: { ...servers, mongoUrl } })
})
afterAll(async () => {
  await gateway.stop()
  await proxy.stop()
})

test('a thread message whose database goes away before its event is published waits in the outbox', async () => {
  const users = [await gateway.newUser('alice'), await gateway.newUser('bob')]
  const room = await gateway.newRoom(users)
  const body = { room, sender: 'alice', message: 'x', messageType: 'text' }
  const root = (await gateway.admin('POST', '/messages', body)).body.result._id
  await gateway.chat.flusher.drained()
  let broken = 0
  // The driver retries a read once.
  const breakNext = () =>
    proxy.meet(['find', 'users', key(gateway.app, 'alice')], (command) => {
      command.break()
      if (++broken === 1) breakNext()
    })
  breakNext()
  const reply = await gateway.admin('POST', '/messages', { ...body, replyTo: root, thread: true })
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  await eventually('both reads of the sender have failed', () => broken === 2)
  const { db } = gateway.chat
  const noted = { events: { $elemMatch: { message: reply.body.result._id } } }
  assert.equal(await db.outbox.countDocuments(noted), 1)
})
