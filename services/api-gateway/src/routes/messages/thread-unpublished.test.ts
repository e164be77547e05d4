import assert from 'node:assert/strict'
import { publishMissing } from '@parley/chat/events/relay'
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

test('a thread message whose database goes away before its event is published waits in the outbox for the nodes', async () => {
  const users = [await gateway.newUser('alice'), await gateway.newUser('bob')]
  const room = await gateway.newRoom(users)
  const body = { room, sender: 'alice', message: 'x', messageType: 'text' }
  const root = (await gateway.admin('POST', '/messages', body)).body.result._id
  await gateway.chat.flusher.drained()
  const reads = breakReads(['find', 'users', key(gateway.app, 'alice')])
  const reply = await gateway.admin('POST', '/messages', { ...body, replyTo: root, thread: true })
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  await eventually('both reads of the sender have failed', () => reads.broken === 2)
  const { db } = gateway.chat
  const { _id: message, seq } = reply.body.result
  const noted = { events: { $elemMatch: { message } } }
  assert.equal(await db.outbox.countDocuments(noted), 1)

  const heard = await gateway.hear()
  breakReads(['aggregate', 'outbox'])
  const missing = { app: gateway.app, room, thread: root, fromSeq: seq, toSeq: seq }
  assert.equal(await publishMissing(gateway.chat, missing), seq, 'a node that lacks it fetches it once reads succeed')
  await heard.next('thread message', ({ _id }: { _id: string }) => _id === message)
})

/** Breaks this read twice: the driver retries it once. */
function breakReads(words: readonly string[]): { broken: number } {
  const state = { broken: 0 }
  const breakNext = () =>
    proxy.meet(words, (command) => {
      command.break()
      if (++state.broken === 1) breakNext()
    })
  breakNext()
  return state
}
