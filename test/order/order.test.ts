import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { publishedWithinMS } from '@parley/bus/events/publish'
import { MongoClient } from 'mongodb'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { connectResuming } from '../catch-up/resuming-client.ts'
import { startStallingProxy } from '../doubles/stalling-proxy.ts'
import { eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'
import type { Placed } from './heard-order.ts'
import { runOrderLoad } from './order-load.ts'

const dyingSender = join(import.meta.dirname, '../../services/api-gateway/src/test-dying-sender.ts')

test("every client gets a room's messages and threads, and the events about them, in order of seq", async ({
  annotate,
}) => {
  // On a busy machine a gateway can stall for longer than nodes wait by default before they skip its messages.
  const results = await runOrderLoad({ events: 1_000_000, seconds: 10, orderWaitMS: 2_000 })
  const { inversions, lost, duplicates, notResumed, messages, events, resumed, waits } = results
  // The relay considers a stalled gateway dead and republishes its events, which reconnecting clients can get twice.
  const twice = duplicates.filter((one) => one.startsWith('member'))
  assert.deepEqual({ inversions, lost, twice, notResumed }, { inversions: [], lost: 0, twice: [], notResumed: 0 })
  assert.ok(messages > 100 && resumed > 0)
  await annotate(`${messages} messages, ${events} events, ${resumed} times resumed, waits ${JSON.stringify(waits)}`)
})

describe('a gateway killed between writing a message and publishing it', () => {
  let platform: Platform
  let node: RunningService
  let alice: PlatformUser
  let bob: PlatformUser
  let socket: Socket
  let mongo: MongoClient
  let room: string
  const heard: Placed[] = []

  beforeAll(async () => {
    platform = await startPlatform()
    mongo = await MongoClient.connect(platform.servers.mongoUrl)
    ;[node] = await Promise.all([
      platform.start('realtime', { PARLEY_REALTIME_ORDER_WAIT_MS: '1000' }),
      platform.start('api-gateway'),
    ])
    alice = await platform.newUser('alice')
    bob = await platform.newUser('bob')
    room = await platform.newRoom([alice.id, bob.id])
    socket = await platform.connect(node, bob)
    socket.on('chat message', (message: Placed) => heard.push(message))
  })
  afterAll(async () => {
    socket?.close()
    await mongo?.close()
    await platform.stop()
  })

  const say = async (message: string) =>
    Number((await platform.admin('POST', '/messages', { room, sender: 'alice', message, messageType: 'text' }))['seq'])

  /** Sends through the gateway until it is killed, having written this many times. */
  async function sendUntilKilled(times: number): Promise<void> {
    const { mongoUrl, natsUrl } = platform.servers
    const work = { mongoUrl, natsUrl, app: platform.app, room, point: 'written', times }
    const child = fork(dyingSender, [JSON.stringify(work)])
    assert.deepEqual((await once(child, 'exit'))[1], 'SIGKILL')
  }

  test('leaves written messages that arrive once and in order, before later messages', async () => {
    const before = await connectResuming(node.url, bob.token)
    const since = (await before.login({ since: 0 })).result.serverTimeMS
    before.socket.close()
    await sendUntilKilled(5)
    const last = await say('after it')
    const resuming = await connectResuming(node.url, bob.token)
    const { result } = await resuming.login({ since, deviceId: 'phone' })
    assert.equal(result.resumed, true)
    const seqs = Array.from({ length: last }, (_, i) => i + 1)
    await eventually('Bob has all', () => heard.length >= last)
    const seqsOfResumed = () =>
      resuming.heard.filter(({ event }) => event === 'chat message').map(({ payload }) => (payload as Placed).seq)
    await eventually('the resumed client has all', () => seqsOfResumed().length >= last)
    const next = await say('later')
    await eventually('Bob has the next', () => heard.at(-1)?.seq === next)
    // By then the relay has published it too.
    await eventually('what was abandoned is flushed', async () => {
      const buffer = (await mongo.db().collection('rooms').findOne({ id: room }))?.['buffer']
      return buffer.length === 0 && (await mongo.db().collection('outbox').countDocuments()) === 0
    })
    assert.equal(await say('last'), next + 1)
    await eventually('Bob has the last', () => heard.at(-1)?.seq === next + 1)
    assert.deepEqual(
      heard.map(({ seq }) => seq),
      [...seqs, next, next + 1],
    )
    // Clients that connected in between may get an event again when the relay republishes it.
    assert.deepEqual([...new Set(seqsOfResumed())], [...seqs, next, next + 1])
    resuming.socket.close()
  })

  test.each([0, publishedWithinMS])(
    'leaves the first messages of a room, which come before those sent %i ms later',
    async (ms) => {
      room = await platform.newRoom([alice.id, bob.id])
      await sendUntilKilled(1)
      const killedMS = Date.now()
      await eventually('the time has passed', () => Date.now() >= killedMS + ms)
      const last = await say('after it')
      const seqs = () => heard.filter((message) => message.room === room).map(({ seq }) => seq)
      await eventually('Bob has all', () => seqs().length >= last)
      assert.deepEqual(
        seqs(),
        Array.from({ length: last }, (_, i) => i + 1),
      )
    },
  )
})

test('a new room begins in order if the gateway of its first messages stalls before it publishes them', async () => {
  const platform = await startPlatform()
  const { mongoUrl, natsUrl } = platform.servers
  const patient = { PARLEY_REALTIME_ORDER_WAIT_MS: '60000' }
  const [node] = await Promise.all([platform.start('realtime', patient), platform.start('api-gateway')])
  const [alice, bob] = [await platform.newUser('alice'), await platform.newUser('bob')]
  const [room, other] = [await platform.newRoom([alice.id, bob.id]), await platform.newRoom([alice.id, bob.id])]
  const socket = await platform.connect(node, bob)
  const heard: Placed[] = []
  socket.on('chat message', (message: Placed) => heard.push(message))
  const heardIn = (id: string) => heard.filter((message) => message.room === id).map(({ seq }) => seq)

  const work = { mongoUrl, natsUrl, app: platform.app, room, point: 'written', times: 1, signal: 'SIGSTOP' }
  const stalling = fork(dyingSender, [JSON.stringify(work)])
  onTestFinished(async () => {
    socket.close()
    stalling.kill('SIGKILL')
    await platform.stop()
  })
  const isStalled = async () => (await readFile(`/proc/${stalling.pid}/stat`, 'utf8')).includes(' T ')
  await eventually('the sender stalls', isStalled, 30)
  await platform.sendAll(room, alice.id, ['in one append', 'with this one'])
  await platform.sendAll(other, alice.id, ['published after both'])
  await eventually('the node has both', () => heardIn(other).length === 1)
  stalling.kill('SIGCONT')
  await eventually('Bob has the first and both', () => heardIn(room).length >= 3)
  const seqs = heardIn(room)
  assert.deepEqual(
    seqs,
    seqs.map((_, i) => i + 1),
  )
})

test('a node that cannot read MongoDB keeps later messages back until a killed gateway’s ones arrive', async () => {
  const platform = await startPlatform()
  const { mongoUrl, natsUrl } = platform.servers
  const { hostname, port, pathname } = new URL(mongoUrl)
  const proxy = await startStallingProxy({ host: hostname, port: Number(port) })
  const hanging = { PARLEY_MONGO_URL: `mongodb://127.0.0.1:${proxy.port}${pathname}?directConnection=true` }
  const [node] = await Promise.all([platform.start('realtime', hanging), platform.start('api-gateway')])
  const [alice, bob] = [await platform.newUser('alice'), await platform.newUser('bob')]
  const room = await platform.newRoom([alice.id, bob.id])
  const socket = await platform.connect(node, bob)
  onTestFinished(async () => {
    socket.close()
    await platform.stop()
    await proxy.stop()
  })
  const heard: number[] = []
  socket.on('chat message', ({ seq }: Placed) => heard.push(seq))

  await platform.sendAll(room, alice.id, ['the node knows the next seq'])
  await eventually('Bob has the first', () => heard.length === 1)
  proxy.stall()
  const work = { mongoUrl, natsUrl, app: platform.app, room, point: 'written', times: 2 }
  assert.deepEqual((await once(fork(dyingSender, [JSON.stringify(work)]), 'exit'))[1], 'SIGKILL')
  const sent = await platform.admin('POST', '/messages', { room, sender: 'alice', message: 'x', messageType: 'text' })
  const last = Number(sent['seq'])
  await eventually('another process has published the missing ones', () => heard.length >= last, 60)
  assert.deepEqual(
    heard,
    Array.from({ length: last }, (_, i) => i + 1),
  )
})
