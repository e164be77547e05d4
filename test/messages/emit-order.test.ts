import assert from 'node:assert/strict'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { type CallbackDouble, startCallback } from '../doubles/callback.ts'
import { openReadProxy, type ReadProxy } from '../doubles/read-proxy.ts'
import { eventually, type Fields, type Platform, type PlatformUser, startPlatform } from '../platform.ts'

interface Ack {
  RC: number
  result: { _id: string; seq: number }
}

const env = { PARLEY_MODERATE_ALLOW_PRIVATE_TARGETS: 'true', PARLEY_MODERATE_TIMEOUT_MS: '10000' }

describe('emits of one socket to one room without waiting for acknowledgements', () => {
  let platform: Platform
  let proxy: ReadProxy
  let hook: CallbackDouble
  let robot: PlatformUser
  let socket: Socket
  let bob: Socket
  let [room, other] = ['', '']
  const heard: [event: string, payload: Fields][] = []

  beforeAll(async () => {
    ;[platform, hook] = await Promise.all([startPlatform(), startCallback()])
    proxy = await openReadProxy(platform.servers.mongoUrl)
    const [, node] = await Promise.all([
      platform.start('api-gateway', env),
      platform.start('realtime', { ...env, PARLEY_MONGO_URL: proxy.url }),
    ])
    robot = await platform.newUser('robot', { isRobot: true })
    const user = await platform.newUser('bob')
    socket = await platform.connect(node, robot)
    bob = await platform.connect(node, user)
    bob.onAny((event: string, payload: Fields) => heard.push([event, payload]))
  })
  beforeEach(async () => {
    ;[room, other] = [await platform.newRoom(['robot', 'bob']), await platform.newRoom(['robot', 'bob'])]
  })
  afterAll(async () => {
    socket?.close()
    bob?.close()
    await platform.stop()
    await proxy.close()
    await hook.stop()
  })

  const emit = (event: string, body: object): Promise<Ack> => socket.emitWithAck(event, body)
  const say = (message: string, more: object = {}) =>
    emit('chat message', { room, message, messageType: 'text', ...more })
  /** A field of each event that Bob got in the room, up to `last`. */
  async function heardUntil(last: string, event: string, field: string): Promise<unknown[]> {
    const those = () =>
      heard.flatMap(([name, payload]) => (name === event && payload['room'] === room ? [payload[field]] : []))
    await eventually(`Bob hears ${last}`, () => those().includes(last))
    return those()
  }
  async function seqs(...acks: Promise<Ack>[]): Promise<number[]> {
    const all = await Promise.all(acks)
    const first = all[0]?.result.seq ?? 0
    return all.map(({ RC, result }) => (RC === 0 ? result.seq - first : Number.NaN))
  }

  test('messages keep their order after a reply, a threaded message and a failed one', async () => {
    const { result: root } = await say('root')
    const lookup = proxy.holdNextRead('messageBuckets')
    const reply = say('reply', { replyTo: root._id })
    await lookup.answered
    const [plain, unknown] = [say('plain'), say('unknown', { replyTo: 'nothing' })]
    const [inThread, last] = [say('in the thread', { replyTo: root._id, thread: true }), say('last')]
    assert.equal((await say('elsewhere', { room: other })).RC, 0)
    lookup.release()
    assert.deepEqual(await seqs(reply, plain, last), [0, 1, 2])
    assert.deepEqual([(await unknown).RC, (await inThread).RC], [404, 0])
    assert.deepEqual(await heardUntil('last', 'chat message', 'message'), ['root', 'reply', 'plain', 'last'])
  })

  for (const [event, field, collection] of [
    ['typing', 'message', 'memberships'],
    ['ai_streaming', 'text', 'users'],
  ] as const) {
    test(`${event} keeps its order`, async () => {
      const lookup = proxy.holdNextRead(collection)
      const first = emit(event, { room, [field]: 'one' })
      await lookup.answered
      const second = emit(event, { room, [field]: 'two' })
      assert.equal((await emit(event, { room: other, [field]: 'elsewhere' })).RC, 0)
      lookup.release()
      assert.deepEqual([(await first).RC, (await second).RC], [0, 0])
      assert.deepEqual(await heardUntil('two', event, field), ['one', 'two'])
    })
  }

  test('messages keep their order while MODERATE checks them concurrently', async () => {
    hook.behave = () => ({ body: '{"action":"allow"}' })
    await platform.admin('POST', '/config', { MODERATE: { url: hook.url } })
    await eventually('the node asks', async () => (await say('?', { room: other })).RC === 0 && hook.calls.length > 0)
    const answer = Promise.withResolvers<void>()
    const textOf = (body: Fields) => (body['data'] as Fields)['message']
    hook.behave = ({ body }) => ({
      body: '{"action":"allow"}',
      ...(textOf(body) === 'slow' && { after: answer.promise }),
    })
    const acks = [say('slow'), say('quick'), say('quicker')]
    assert.equal((await say('elsewhere', { room: other })).RC, 0)
    await eventually('all are asked about', () => hook.calls.some(({ body }) => textOf(body) === 'quicker'))
    answer.resolve()
    assert.deepEqual(await seqs(...acks), [0, 1, 2])
    assert.deepEqual(await heardUntil('quicker', 'chat message', 'message'), ['slow', 'quick', 'quicker'])
  })
})
