import assert from 'node:assert/strict'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { insist, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { type MongoProxy, openMongoProxy, type PassingCommand } from '../../test-mongo-proxy.ts'

const append = ['update', '$push', 'autocommit']
const insert = ['insert', 'messages', 'large']
const commit = ['commitTransaction']
const before = () => undefined
/** MongoDB's progress in a large message's transaction when it dies without a reply. */
const moments: [string, readonly string[], (command: PassingCommand) => Promise<void> | void][] = [
  ['before its room is moved', append, before],
  ['after its room is moved', append, (command) => command.arrive()],
  ['before it is inserted', insert, before],
  ['after it is inserted', insert, (command) => command.arrive()],
  ['before its commit', commit, before],
  ['after its commit', commit, (command) => command.arrive()],
]

describe('MongoDB is killed (-9) while a large message is written', () => {
  let servers: Servers
  let proxy: MongoProxy
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser

  beforeAll(async () => {
    servers = await isolatedServers(['mongo'])
    const mongoUrl = new URL(servers.mongoUrl)
    proxy = await openMongoProxy(Number(mongoUrl.port))
    mongoUrl.port = String(proxy.port)
    mongoUrl.searchParams.delete('replicaSet')
    mongoUrl.searchParams.set('directConnection', 'true')
    gateway = await startTestGateway({ servers: { ...servers, mongoUrl: mongoUrl.href } })
    alice = await gateway.newUser('alice')
    bob = await gateway.newUser('bob')
  })
  afterAll(async () => {
    await gateway?.stop()
    await proxy?.stop()
    await servers?.stop()
  })

  for (const [moment, words, act] of moments) {
    test(`${moment}: it is sent once, in order, and counts once`, async () => {
      const room = await gateway.newRoom([alice, bob])
      /** As a client does: repeats under the same key until it is acknowledged. */
      const send = async (clientMessageID: string, message: string): Promise<{ _id: string; seq: number }> => {
        const draft = { room, sender: 'alice', message, messageType: 'text', clientMessageID }
        const { status, body } = await insist(() => gateway.admin('POST', '/messages', draft))
        assert.equal(status, 200, JSON.stringify(body))
        return body.result
      }
      const first = await send('first', 'small')
      await gateway.chat.flusher.drained()
      const killed = Promise.withResolvers<void>()
      proxy.meet(words, async (command) => {
        await act(command)
        command.break()
        await servers.mongo.kill()
        await servers.mongo.restart()
        killed.resolve()
      })
      const large = await send('large', `large ${'.'.repeat(20_000)}`)
      await killed.promise
      const last = await send('last', 'small')

      const check = async () => {
        const { data, totalCount } = (await bob.call('GET', `/rooms/${room}/messages/v3`)).body.result
        const shown = data.map(({ _id, seq }: { _id: string; seq: number }) => [_id, seq])
        assert.deepEqual(
          shown,
          [last, large, first].map(({ _id }, i) => [_id, 3 - i]),
        )
        assert.equal(totalCount, 3)
        assert.equal(data[1].message.length, 20_006)
        const unread = async (user: TestUser) => (await user.call('GET', `/rooms/${room}`)).body.result.unread
        assert.deepEqual([await unread(alice), await unread(bob)], [0, 3])
        assert.equal((await send('large', 'again'))._id, large._id)
      }
      await check()
      await gateway.chat.flusher.drained()
      await check()
    })
  }
})
