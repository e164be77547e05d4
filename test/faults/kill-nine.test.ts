import assert from 'node:assert/strict'
import type { Socket } from 'socket.io-client'
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest'
import { call, eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'
import { everythingArrives, type Seen, type Sending, startSending, wholeHistory } from './durable-sending.ts'

describe('an acknowledged message survives kill -9', () => {
  let platform: Platform
  let gateways: RunningService[]
  let realtime: RunningService
  let bob: PlatformUser
  let socket: Socket
  let room: string
  const received = new Map<string, number>()
  let sending: Sending | undefined
  const admin = () => ({ 'im-api-key': platform.apiKey })
  const client = () => ({ 'im-client-key': platform.clientKey, 'im-authorization': bob.token })

  beforeAll(async () => {
    platform = await startPlatform({ toKill: ['mongo', 'nats', 'redis'] })
    gateways = await Promise.all([platform.start('api-gateway'), platform.start('api-gateway')])
    realtime = await platform.start('realtime')
    await platform.newUser('alice')
    bob = await platform.newUser('bob')
    room = await platform.newRoom(['alice', 'bob'])
    await listen()
  })
  // Stop senders even if the test failed.
  afterEach(() => sending?.stop())
  afterAll(() => platform.stop())

  const gateway = () => gateways[0] as RunningService

  async function listen(): Promise<void> {
    socket = await platform.connect(realtime, bob)
    socket.on('chat message', ({ _id }: Seen) => received.set(_id, (received.get(_id) ?? 0) + 1))
  }

  const sendWithoutPause = () => {
    const sends = startSending({ urls: () => gateways.map(({ url }) => url), headers: admin(), room })
    sending = sends
    return sends
  }
  const history = () => wholeHistory(gateway().url, room, client())
  const nothingIsLost = async (acknowledged: readonly string[]) =>
    everythingArrives(acknowledged, await history(), received)

  test('of a gateway: another relays its unpublished messages', async () => {
    const sends = sendWithoutPause()
    await eventually('messages are flowing', () => sends.acknowledged.length > 50)
    await (gateways[1] as RunningService).kill()
    const count = sends.acknowledged.length
    await eventually('the other gateway continues', () => sends.acknowledged.length > count + 50)
    gateways = [gateway()]
    await nothingIsLost(await sends.stop())
    gateways.push(await platform.start('api-gateway'))
  })

  test('of MongoDB: acknowledged messages are in the database when it is back', async () => {
    const sends = sendWithoutPause()
    await eventually('messages are flowing', () => sends.acknowledged.length > 50)
    await platform.servers.mongo.kill()
    await platform.servers.mongo.restart()
    const count = sends.acknowledged.length
    await eventually('sending works again', () => sends.acknowledged.length > count + 50)
    await nothingIsLost(await sends.stop())
  })

  test('of NATS: messages sent meanwhile arrive when it is back', async () => {
    const sends = sendWithoutPause()
    await eventually('messages are flowing', () => sends.acknowledged.length > 50)
    await platform.servers.nats.kill()
    const count = sends.acknowledged.length
    await eventually('sends are acknowledged without NATS', () => sends.acknowledged.length > count + 20)
    await platform.servers.nats.restart()
    await nothingIsLost(await sends.stop())
    assert.ok(socket.connected, 'the socket stayed')
  })

  test('of a gateway while NATS is away: another relays the messages, which only the database has', async () => {
    const lonely = gateways.pop() as RunningService
    await platform.servers.nats.kill()
    const acknowledged: string[] = []
    for (let i = 0; i < 30; i++) {
      const message = { room, sender: 'alice', message: `nobody has heard of this yet ${i}`, messageType: 'text' }
      const answer = await call(lonely.url, 'POST', '/messages', admin(), message)
      assert.equal(answer.status, 200)
      acknowledged.push(String(answer.body.result['_id']))
    }
    await lonely.kill()
    assert.deepEqual(
      acknowledged.filter((id) => received.has(id)),
      [],
      'nothing can have arrived yet',
    )
    await platform.servers.nats.restart()
    await nothingIsLost(acknowledged)
    gateways.push(await platform.start('api-gateway'))
  })

  test('of Redis: messages keep flowing', async () => {
    await platform.servers.redis.kill()
    const sends = sendWithoutPause()
    await eventually('messages flow without Redis', () => sends.acknowledged.length > 50)
    await platform.servers.redis.restart()
    await nothingIsLost(await sends.stop())
  })

  test('of a realtime node: its client refetches and continues on another node', async () => {
    const sends = sendWithoutPause()
    await eventually('messages are flowing', () => sends.acknowledged.length > 50)
    const away = new Promise((resolve) => socket.once('disconnect', resolve))
    await realtime.kill()
    await away
    realtime = await platform.start('realtime')
    await listen()
    for (const { _id } of await history()) received.set(_id, (received.get(_id) ?? 0) + 1)
    const count = sends.acknowledged.length
    await eventually('messages are flowing', () => sends.acknowledged.length > count + 20)
    await nothingIsLost(await sends.stop())
  })
})
