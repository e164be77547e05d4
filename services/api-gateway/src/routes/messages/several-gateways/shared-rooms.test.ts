import assert from 'node:assert/strict'
import { testServers } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../../test-gateway.ts'
import { type MongoProxy, openMongoProxy } from '../../../test-mongo-proxy.ts'
import { assertWhole, history, type Sent } from './test-whole-room.ts'

/** Words that only an append to a shared room contains. */
const sharedAppend = ['update', '$concatArrays', '$mergeObjects']

describe('a room that several gateways send to', () => {
  let proxy: MongoProxy
  let gateways: TestGateway[]
  let alice: TestUser
  let bob: TestUser
  beforeAll(async () => {
    const servers = await testServers()
    const gateway = await startTestGateway()
    proxy = await openMongoProxy(Number(new URL(servers.mongoUrl).port))
    const mongoUrl = `mongodb://127.0.0.1:${proxy.port}/test?directConnection=true`
    gateways = [gateway, await gateway.another(), await gateway.another({ mongoUrl })]
    alice = await gateway.newUser('alice')
    bob = await gateway.newUser('bob')
  })
  afterAll(async () => {
    for (const gateway of gateways.toReversed()) await gateway.stop()
    await proxy.stop()
  })

  const send = (via: number, room: string, message: string, more: object = {}) =>
    (gateways[via] as TestGateway).admin('POST', '/messages', {
      ...{ room, sender: 'bob', message, messageType: 'text', push: false },
      ...more,
    })
  async function sent(...about: Parameters<typeof send>): Promise<Sent> {
    const { status, body } = await send(...about)
    assert.equal(status, 200, JSON.stringify(body))
    return body.result as Sent
  }
  const newRoom = () => (gateways[0] as TestGateway).newRoom([alice, bob])
  /** Lets gateways 0 and 2 notice that others send there. */
  async function share(room: string): Promise<void> {
    for (const via of [0, 2, 0, 2]) await sent(via, room, 'hello')
  }

  test('has no gaps in seq, and each message as acknowledged, in order of time', async () => {
    const room = await newRoom()
    const texts = Array.from({ length: 300 }, (_, i) => `$seq ${i}`)
    const acknowledged = await Promise.all(texts.map((text, i) => sent(i % 3, room, text)))
    await assertWhole(room, acknowledged, { texts, gateways, reader: alice, sender: bob })
  })

  test('is not read again before each send', async () => {
    const room = await newRoom()
    await share(room)
    const { mongo } = (gateways[0] as TestGateway).chat.db
    await mongo.collection('system.profile').drop()
    await mongo.command({ profile: 2 })
    try {
      for (const via of [0, 2, 0, 2, 0, 2]) await sent(via, room, 'again')
      const reads = await mongo.collection('system.profile').find({ 'command.aggregate': 'rooms' }).toArray()
      assert.deepEqual(
        reads.filter((read) => JSON.stringify(read['command']).includes(room)),
        [],
      )
    } finally {
      await mongo.command({ profile: 0 })
    }
  })

  test('stores large and repeated messages once each', async () => {
    const room = await newRoom()
    await share(room)
    const once = { clientMessageID: `once in ${room}` }
    const sends = [0, 1, 2].flatMap((via) => [
      send(via, room, 'x'.repeat(20_000)),
      send(via, room, 'once', once),
      send(via, room, 'small'),
    ])
    for (const { status, body } of await Promise.all(sends)) assert.equal(status, 200, JSON.stringify(body))
    const messages = await history(alice, room)
    assert.deepEqual(
      messages.map(({ seq }) => seq),
      messages.map((_, i) => i + 1),
    )
    const count = (is: (text: string) => boolean) => messages.filter(({ message }) => is(message)).length
    assert.deepEqual([count((text) => text === 'once'), count((text) => text.length === 20_000)], [1, 3])
  })

  test('refuses a member banned through another gateway at once', async () => {
    const room = await newRoom()
    await share(room)
    const [first] = gateways as [TestGateway]
    assert.equal((await first.admin('POST', `/blockStatus/room/${room}/bob`)).status, 200)
    for (const via of [2, 1, 0]) {
      const { status, body } = await send(via, room, 'no')
      assert.deepEqual([status, body.error?.code], [403, 'USER_BLOCKED'])
    }
    assert.equal((await history(alice, room)).at(-1)?.message, 'hello')
  })

  test('does not store an append beside its replacement after its connection broke', async () => {
    const room = await newRoom()
    await share(room)
    let hasArrived = false
    proxy.meet(sharedAppend, (late) => {
      late.break()
      proxy.meet(sharedAppend, async () => {
        await late.arrive()
        hasArrived = true
      })
    })
    const second = await sent(2, room, 'second')
    const third = await sent(2, room, 'third')
    assert.ok(hasArrived, 'MongoDB got the first try late')
    await gateways[2]?.chat.flusher.drained()
    const shown = (await history(alice, room)).map(({ _id, seq }) => [_id, seq])
    assert.deepEqual(shown.slice(-2), [
      [second._id, 5],
      [third._id, 6],
    ])
    assert.equal(shown.length, 6)
  })
})
