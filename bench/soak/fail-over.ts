import { setTimeout as pause } from 'node:timers/promises'
import { connectBus } from '@parley/bus/connect'
import {
  type Cluster,
  newServersDir,
  primaryOf,
  startNatsCluster,
  startReplicaSet,
  startSentinels,
} from '@parley/stack/clusters'
import { tcpAnswer } from '@parley/stack/tcp-answer'

/** Timeout for an election on a busy machine. */
const takeOverMS = 120_000

/** Starts servers that can be killed: a replica set of three, a NATS cluster of three, and Redis with a replica and three Sentinels. */
export async function startFailingServers() {
  const dir = newServersDir()
  const [mongo, nats, redis] = await Promise.all([
    startReplicaSet(dir, 'soak'),
    startNatsCluster(dir),
    startSentinels(dir),
  ])
  await primaryOf(mongo)
  const kinds = [
    { name: 'the primary of MongoDB', of: mongo, leader: primaryOf },
    { name: 'the leader of the stream', of: nats, leader: leaderOfStream },
    { name: 'the master of Redis', of: redis, leader: masterOf },
  ]
  let left: typeof kinds = []
  return {
    mongoUrl: mongo.url,
    natsUrl: nats.url,
    redisUrl: redis.url,
    /** Kills (-9) a leader of MongoDB, NATS or Redis, and restarts it after the failover. @returns its name */
    async failOver() {
      if (left.length === 0) left = [...kinds]
      const [{ name, of, leader }] = left.splice(Math.floor(Math.random() * left.length), 1) as [(typeof kinds)[number]]
      const port = await leads(name, of, leader)
      const server = of.members.get(port)
      if (!server) throw new Error(`${name}: no server at port ${port}`)
      await server.kill()
      await leads(`${name}, other than ${port}`, of, leader, port)
      await server.restart()
      return name
    },
    stop: () => dir.stop(),
  }
}

/** Waits for a leader whose port is not `not`; returns its port. */
async function leads(
  what: string,
  of: Cluster,
  leader: (of: Cluster) => Promise<number>,
  not?: number,
): Promise<number> {
  const endMS = performance.now() + takeOverMS
  for (;;) {
    // No node replies during an election.
    const port = await leader(of).catch(() => 0)
    if (port !== not && of.members.has(port)) return port
    if (performance.now() > endMS) throw new Error(`no leader within ${takeOverMS / 1_000} s: ${what}`)
    await pause(200)
  }
}

async function leaderOfStream({ url }: Cluster): Promise<number> {
  const bus = await connectBus(url, 'soak')
  try {
    const { cluster } = (await bus.nats.request('$JS.API.STREAM.INFO.PARLEY_EVENTS')).json<{
      cluster: { leader?: string }
    }>()
    return Number(cluster.leader)
  } finally {
    await bus.close()
  }
}

async function masterOf({ members }: Cluster): Promise<number> {
  for (const port of members.keys()) {
    const isMaster = await tcpAnswer(port, 'ROLE\r\n', '*3\r\n$6\r\nmaster').then(
      () => true,
      () => false,
    )
    if (isMaster) return port
  }
  return 0
}
