import assert from 'node:assert/strict'
import { sendMessage } from '@parley/chat/send/send-message'
import { key } from '@parley/db/keys'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { testServers } from '@parley/stack/test-servers'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { type Answer, startTestGateway, type TestGateway, type TestUser } from '../../../test-gateway.ts'
import { type NatsProxy, openNatsProxy } from '../../../test-nats-proxy.ts'

/** Of a message that goes through the buffer, and of one that does not. */
const sizes = [4, 20_000]

describe('a gateway that caches a room changed through another', () => {
  let gateway: TestGateway
  let other: TestGateway
  let alice: TestUser
  let bob: TestUser
  let room: string

  beforeAll(async () => {
    gateway = await startTestGateway()
    other = await gateway.another()
    alice = await gateway.newUser('alice')
    bob = await gateway.newUser('bob')
  })
  afterAll(async () => {
    await other.stop()
    await gateway.stop()
  })
  beforeEach(async () => {
    room = await gateway.newRoom([alice, bob])
  })

  const send = (via: TestGateway, more: object = {}) =>
    via.admin('POST', '/messages', { room, sender: 'bob', message: 'darn', messageType: 'text', ...more })
  const sent = async (...about: Parameters<typeof send>) => {
    const { status, body } = await send(...about)
    assert.equal(status, 200, JSON.stringify(body))
    return body.result as { _id: string; seq: number; message: string }
  }
  const ok = async (answer: Promise<Answer>) => {
    const { status, body } = await answer
    assert.equal(status, 200, JSON.stringify(body))
  }
  const isRefused = ({ status, body }: Answer, expected: readonly [number, string]) =>
    assert.deepEqual([status, body.error?.code], expected, JSON.stringify(body))

  /** Sends until a send reads none of its checks from the database: the gateway caches the room. */
  async function sendUntilKnown(via: TestGateway, more: object = {}): Promise<void> {
    const { mongo } = via.chat.db
    const reads = () => mongo.collection('system.profile').countDocuments({ 'command.aggregate': 'rooms' })
    await mongo.command({ profile: 2 })
    try {
      for (let before = -1; before !== (await reads()); ) {
        before = await reads()
        await sent(via, more)
      }
    } finally {
      await mongo.command({ profile: 0 })
    }
  }

  for (const [what, change, expected] of [
    ['a ban', () => alice.call('POST', `/blockStatus/room/${room}/bob`), [403, 'USER_BLOCKED']],
    [
      'leaving',
      () => other.admin('POST', `/rooms/${room}/delete/members`, { members: ['bob'] }),
      [403, 'NOT_ROOM_MEMBER'],
    ],
    ['freezing', () => other.admin('PUT', `/rooms/${room}`, { status: 0 }), [403, 'ROOM_FROZEN']],
    ['deletion', () => other.admin('DELETE', `/rooms/${room}`), [404, 'ROOM_NOT_FOUND']],
  ] as const) {
    test.each(sizes)(`${what} applies at once to messages of %i characters`, async (size) => {
      room = await gateway.newRoom([alice, bob], { owner: 'alice' })
      await sendUntilKnown(gateway)
      await ok(change())
      isRefused(await send(gateway, { message: 'x'.repeat(size) }), expected)
      assert.deepEqual(await findAllMessages(other.chat.db, { roomKey: key(other.app, room), seq: { $gt: 2 } }), [])
    })
  }

  test('the end of a ban applies at once', async () => {
    room = await gateway.newRoom([alice, bob], { owner: 'alice' })
    await sendUntilKnown(gateway)
    await ok(other.admin('POST', `/blockStatus/room/${room}/bob`))
    isRefused(await send(gateway), [403, 'USER_BLOCKED'])
    await ok(other.admin('DELETE', `/blockStatus/room/${room}/bob`))
    await sendUntilKnown(gateway)
  })

  test('a personal block applies at once, and so does its end', async () => {
    room = await gateway.newRoom([alice, bob], { roomType: 'direct' })
    await sendUntilKnown(gateway)
    await ok(alice.call('POST', '/blockStatus/my/bob'))
    isRefused(await send(gateway), [403, 'USER_BLOCKED'])
    await ok(alice.call('DELETE', '/blockStatus/my/bob'))
    await sendUntilKnown(gateway)
  })

  test.each(sizes)('changes of censored words apply at once, in %i characters', async (size) => {
    const word = async () => (await sent(gateway, { message: 'darn'.padEnd(size) })).message.trim()
    const config = (keywords: string[]) => other.admin('POST', '/config', { censorship: { keywords } })
    await sendUntilKnown(gateway)
    assert.equal(await word(), 'darn')
    await ok(config(['darn']))
    assert.equal(await word(), '****')
    await sendUntilKnown(gateway)
    await ok(config(['other']))
    assert.equal(await word(), 'darn')
    await ok(config(['darn']))
    assert.equal(await word(), '****')
    await sendUntilKnown(gateway)
    await ok(other.admin('DELETE', '/config/censorship'))
    assert.equal(await word(), 'darn')
  })

  test('of rooms with concurrent sends, only the changed one is read again', async () => {
    const { mongo } = gateway.chat.db
    const [changed, unchanged] = [room, await gateway.newRoom([alice, bob])]
    const sendTo = (to: string) => {
      const draft = { room: to, sender: 'bob', message: 'x', messageType: 'text', push: false }
      return sendMessage(gateway.chat, { app: gateway.app, ...draft })
    }
    for (room of [unchanged, changed]) await sendUntilKnown(gateway)
    await sent(other)
    await mongo.collection('system.profile').drop()
    await mongo.command({ profile: 2 })
    try {
      await Promise.all([sendTo(changed), sendTo(unchanged)])
      await sendTo(unchanged)
      const reads = await mongo.collection('system.profile').find({ 'command.aggregate': 'rooms' }).toArray()
      const ofRoom = (id: string) => reads.filter((read) => JSON.stringify(read['command']).includes(id)).length
      assert.deepEqual([ofRoom(changed), ofRoom(unchanged)], [1, 0])
    } finally {
      await mongo.command({ profile: 0 })
    }
  })

  test('messages of both gateways have seqs without a gap, and unread is exact', async () => {
    await sendUntilKnown(gateway)
    await sendUntilKnown(other)
    const before = (await sent(gateway)).seq
    const seqs: number[] = []
    for (const via of [other, gateway, gateway, other, other, gateway]) seqs.push((await sent(via)).seq)
    assert.deepEqual(
      seqs,
      [1, 2, 3, 4, 5, 6].map((i) => before + i),
    )
    const unread = async (user: TestUser) => (await user.call('GET', `/rooms/${room}`)).body.result.unread
    assert.deepEqual([await unread(alice), await unread(bob)], [before + 6, 0])
  })

  test('messages deleted for all stay deleted, and later ones are not', async () => {
    await sendUntilKnown(gateway)
    await ok(other.admin('DELETE', `/rooms/${room}/messages/_all`))
    const { _id } = await sent(gateway)
    const { data } = (await alice.call('GET', `/rooms/${room}/messages/v3`)).body.result
    const living = (data as { _id: string; isDeleted: boolean }[]).filter(({ isDeleted }) => !isDeleted)
    assert.deepEqual(
      living.map((message) => message._id),
      [_id],
    )
    assert.equal((await alice.call('GET', `/rooms/${room}`)).body.result.unread, 1)
  })

  test('a repeated send is found, whichever gateway sent it', async () => {
    await sendUntilKnown(gateway)
    await sendUntilKnown(other)
    const once = { clientMessageID: `once in ${room}` }
    const first = await sent(other, once)
    assert.equal((await sent(gateway, once))._id, first._id)
    await other.chat.flusher.drained()
    assert.equal((await sent(gateway, once))._id, first._id)
  })

  const waysToLoseTheBus = {
    'whose connection to the bus is closed': (_proxy: NatsProxy, cutOff: TestGateway) => cutOff.chat.bus.close(),
    'that is cut off from the bus': (proxy: NatsProxy) => proxy.cut(),
    'that is cut off from the bus and does not know it': (proxy: NatsProxy) => proxy.hold(),
  }
  for (const [how, lose] of Object.entries(waysToLoseTheBus)) {
    test(`a gateway ${how} still refuses and censors`, async () => {
      const proxy = await openNatsProxy((await testServers()).natsUrl)
      const cutOff = await gateway.another({ natsUrl: proxy.url })
      try {
        await sendUntilKnown(cutOff)
        await lose(proxy, cutOff)
        await sendUntilKnown(cutOff)
        await ok(other.admin('POST', '/config', { censorship: { keywords: ['darn'] } }))
        assert.equal((await sent(cutOff)).message, '****')
        await ok(other.admin('DELETE', '/config/censorship'))
        assert.equal((await sent(cutOff)).message, 'darn')
        await ok(other.admin('POST', `/rooms/${room}/delete/members`, { members: ['bob'] }))
        isRefused(await send(cutOff), [403, 'NOT_ROOM_MEMBER'])
      } finally {
        proxy.mend()
        await cutOff.stop()
        await proxy.close()
      }
    })
  }
})
