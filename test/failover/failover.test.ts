import assert from 'node:assert/strict'
import { jetstreamManager } from '@nats-io/jetstream'
import { connectBus } from '@parley/bus/connect'
import { streamName } from '@parley/contracts/bus/streams'
import {
  type Cluster,
  newServersDir,
  primaryOf,
  startNatsCluster,
  startReplicaSet,
  startSentinels,
  stepDownPrimary,
} from '@parley/stack/clusters'
import { makeTestDataDir } from '@parley/stack/test-data'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import type { Socket } from 'socket.io-client'
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest'
import { everythingArrives, type Seen, type Sending, startSending, wholeHistory } from '../faults/durable-sending.ts'
import { call, eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'

interface Job {
  state: string
  progress: { done: number }
  outcomes: { data: { result?: { seq: number } }[] }
}

describe('servers fail over under load without loss of acknowledged messages or manual restarts', () => {
  const dir = newServersDir(makeTestDataDir())
  let mongo: Cluster
  let nats: Cluster
  let redis: Cluster
  let shared: Servers
  let platform: Platform
  let gateways: RunningService[]
  let bob: PlatformUser
  let socket: Socket
  let room: string
  let sending: Sending | undefined
  const received = new Map<string, Seen>()

  beforeAll(async () => {
    ;[mongo, nats, redis, shared] = await Promise.all([
      startReplicaSet(dir, 'failover'),
      startNatsCluster(dir),
      startSentinels(dir),
      isolatedServers(),
    ])
    await primaryOf(mongo)
    const own = { ...shared, mongoUrl: mongo.url, natsUrl: nats.url, redisUrl: redis.url }
    platform = await startPlatform({ own })
    const env = { PARLEY_STREAM_REPLICAS: '3', PARLEY_GATEWAY_JOB_AFTER_MS: '0' }
    gateways = await Promise.all([platform.start('api-gateway', env), platform.start('api-gateway', env)])
    const realtime = await platform.start('realtime', env)
    await Promise.all([platform.start('push', env), platform.start('stats', env)])
    await platform.newUser('alice')
    bob = await platform.newUser('bob')
    room = await platform.newRoom(['alice', 'bob'])
    socket = await platform.connect(realtime, bob)
    socket.on('chat message', (message: Seen) => received.set(message._id, message))
  })
  afterEach(() => sending?.stop())
  afterAll(async () => {
    socket?.close()
    await platform?.stop()
    await dir.stop()
  })

  const apiKey = () => ({ 'im-api-key': platform.apiKey })

  /** Causes a failure during continuous sends, and waits until sends are acknowledged again. */
  async function under(fault: () => Promise<void>): Promise<void> {
    sending = startSending({
      urls: () => gateways.map(({ url }) => url),
      headers: apiKey(),
      room,
      pauseMS: 50,
    })
    const { acknowledged, bySender, statuses } = sending
    await eventually('messages are flowing', () => acknowledged.length > 50)
    await fault()
    const count = acknowledged.length
    await eventually('sends are acknowledged again', () => acknowledged.length > count + 50)
    await sending.stop()
    assert.deepEqual(statuses.difference(new Set([200, 503])), new Set(), 'failed sends are retryable')
    const stored = await wholeHistory(gateways[0]?.url ?? '', room, bob.headers)
    await everythingArrives(acknowledged, stored, received)
    const seqs = new Map(stored.map(({ _id, seq }) => [_id, seq]))
    for (const ids of bySender) {
      const inOrder = ids.map((id) => seqs.get(id) ?? 0)
      assert.deepEqual(
        inOrder,
        inOrder.toSorted((a, b) => a - b),
        'messages of a sequential sender keep their order',
      )
    }
    assert.ok(socket.connected, 'the socket stayed')
  }

  test('the MongoDB primary is killed and returns as a secondary', async () => {
    const port = await primaryOf(mongo)
    const primary = mongo.members.get(port)
    await under(async () => {
      await primary?.kill()
      await eventually('another is the primary', async () => (await primaryOf(mongo)) !== port)
    })
    await under(async () => primary?.restart())
  })

  test('the MongoDB primary steps down during a batch job: every recipient gets the message', async () => {
    const receivers = Array.from({ length: 600 }, (_, i) => `receiver ${i}`)
    await platform.admin('POST', '/admin/clients/list', { data: receivers.map((_id) => ({ _id })) })
    const batch = { message: 'once', messageType: 'text', sender: 'alice' }
    const paras = receivers.map((receiver) => ({ receiver }))
    await under(async () => {
      const { status, body } = await call(gateways[0]?.url ?? '', 'POST', '/messages/batch', apiKey(), {
        ...batch,
        paras,
      })
      assert.equal(status, 202, JSON.stringify(body))
      const read = async (query: string) => {
        const job = await platform.admin('GET', `/admin/jobs/${String(body.result['job'])}?${query}`)
        return job as unknown as Job
      }
      await eventually('the job has progressed', async () => (await read('limit=1')).progress.done > 0)
      await stepDownPrimary(mongo)
      const isOver = async () => (await read('limit=1').catch(() => undefined))?.state === 'done'
      await eventually('the job is over', isOver, 120)
      const pages = [await read('limit=300'), await read('skip=300&limit=300')]
      const outcomes = pages.flatMap((page) => page.outcomes.data)
      assert.deepEqual([outcomes.length, outcomes.filter(({ result }) => result?.seq !== 1)], [receivers.length, []])
    })
  })

  test('the leader of the stream is killed and returns', async () => {
    const port = await leaderOfStream()
    const leader = nats.members.get(port)
    await under(async () => {
      await leader?.kill()
      // No server replies during the election.
      await eventually('another leads the stream', async () => {
        const now = await leaderOfStream().catch(() => port)
        return now !== port
      })
    })
    await under(async () => leader?.restart())
  })

  test('the Redis master is killed, Sentinel promotes the replica, and the old master becomes its replica', async () => {
    const [master] = redis.members.values()
    await under(async () => {
      await master?.kill()
    })
    await eventually('connections are counted', isCounted)
    await under(async () => master?.restart())
    await eventually('connections are counted', isCounted)
  })

  async function isCounted(): Promise<boolean> {
    const count = await platform.admin('GET', '/admin/connection-count').catch(() => undefined)
    return count?.['count'] === 1
  }

  async function leaderOfStream(): Promise<number> {
    const bus = await connectBus(nats.url, 'failover test')
    try {
      const { cluster } = await (await jetstreamManager(bus.nats)).streams.info(streamName(0))
      assert.equal(cluster?.replicas?.length, 2, 'the stream has three copies')
      return Number(cluster?.leader)
    } finally {
      await bus.close()
    }
  }
})
