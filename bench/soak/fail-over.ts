import { setTimeout as pause } from 'node:timers/promises'
import { closeBus, connectBus } from '@parley/bus/connect'
import {
  type Cluster,
  newServersDir,
  primaryOf,
  startNatsCluster,
  startReplicaSet,
  startSentinels,
} from '@parley/stack/clusters'
import { tcpAnswer } from '@parley/stack/tcp-answer'

/** Servers of which each may be killed, since another takes over. */
export interface FailingServers {
  mongoUrl: string
  natsUrl: string
  redisUrl: string
  /**
   * Kills (-9) the primary of MongoDB, the leader of the stream in NATS or the master of Redis, each as often as the others in
   * a random order, waits until another has taken over, and starts it again.
   * @returns which it was
   */
  failOver(): Promise<string>
  stop(): Promise<void>
}

/** How long an election may take on a busy machine. */
const takeOverMS = 120_000

/** A replica set of three, a NATS cluster of three, and Redis with a replica and three Sentinels. */
export async function startFailingServers(): Promise<FailingServers> {
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
    async failOver() {
      if (left.length === 0) left = [...kinds]
      const [{ name, of, leader }] = left.splice(Math.floor(Math.random() * left.length), 1) as [(typeof kinds)[number]]
      const port = await leads(name, of, leader)
      const server = of.members.get(port)
      if (!server) throw new Error(`${name}: there is none at ${port}`)
      await server.kill()
      await leads(`another than ${port} as ${name}`, of, leader, port)
      await server.restart()
      return name
    },
    stop: () => dir.stop(),
  }
}

/** The port of the one that leads, unless it is `not`; waits for an election. */
async function leads(
  what: string,
  of: Cluster,
  leader: (of: Cluster) => Promise<number>,
  not?: number,
): Promise<number> {
  const endMS = performance.now() + takeOverMS
  for (;;) {
    // During an election no node replies.
    const port = await leader(of).catch(() => 0)
    if (port !== not && of.members.has(port)) return port
    if (performance.now() > endMS) throw new Error(`not within ${takeOverMS / 1_000} s: ${what}`)
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
    await closeBus(bus)
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
