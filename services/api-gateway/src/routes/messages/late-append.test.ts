import assert from 'node:assert/strict'
import { testServers } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { type MongoProxy, openMongoProxy } from '../../test-mongo-proxy.ts'

const append = ['update', '$push']
/** Each command that writes a message: its name, the words it contains, and the size of the message. */
const commands = [
  ['an append', append, 'small'],
  ['the append of a large message', append, 'large'],
  ['the insert of a large message', ['insert', 'messages', 'second'], 'large'],
  ['the commit of a large message', ['commitTransaction'], 'large'],
] as const

describe('a command that reaches MongoDB after its connection broke and its sender gave up', () => {
  let proxy: MongoProxy
  let gateway: TestGateway
  let alice: TestUser
  beforeAll(async () => {
    const servers = await testServers()
    proxy = await openMongoProxy(Number(new URL(servers.mongoUrl).port))
    const mongoUrl = `mongodb://127.0.0.1:${proxy.port}/test?directConnection=true`
    gateway = await startTestGateway({ servers: { ...servers, mongoUrl } })
    alice = await gateway.newUser('alice')
  })
  afterAll(async () => {
    await gateway?.stop()
    await proxy?.stop()
  })

  for (const [name, words, size] of commands) {
    test(`${name} is not written beside its replacement: one message, no gap in seq`, async () => {
      const room = await gateway.newRoom([alice])
      const send = async (text: string) => {
        const message = size === 'large' ? text.padEnd(20_000, '.') : text
        const { status, body } = await alice.call('POST', `/rooms/${room}/message`, { message, messageType: 'text' })
        assert.equal(status, 200, JSON.stringify(body))
        return body.result as { _id: string; seq: number }
      }
      const first = await send('first')
      await gateway.chat.flusher.drained()
      let hasArrived = false
      proxy.meet(words, (late) => {
        late.break()
        proxy.meet(append, async () => {
          await late.arrive()
          hasArrived = true
        })
      })
      const second = await send('second')
      const third = await send('third')
      assert.ok(hasArrived, 'MongoDB got the first try late')
      await gateway.chat.flusher.drained()
      const { data, totalCount } = (await alice.call('GET', `/rooms/${room}/messages/v3`)).body.result
      const shown = data.map(({ _id, seq }: { _id: string; seq: number }) => [_id, seq])
      assert.deepEqual(
        shown,
        [third, second, first].map(({ _id }, i) => [_id, 3 - i]),
      )
      assert.equal(totalCount, 3)
    })
  }
})
