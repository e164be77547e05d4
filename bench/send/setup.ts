import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { makeApp } from '@parley/local/make-app'
import type { ServiceProcess } from '@parley/local/service-process'
import { type Servers, startServers } from '@parley/stack/up'
import { adminPost } from '../admin-post.ts'
import { startBenchService } from '../bench-service.ts'
import { profilesInto } from '../cpu-profile.ts'
import { httpRequest, loadHttp } from '../http-load.ts'
import type { Inserted, InsertJob } from '../insert-one.ts'
import { cpuSeconds } from '../process-usage.ts'

export interface Sent {
  /** Messages per second. */
  sent: number
  /** Milliseconds. */
  p99: number
  /** CPU microseconds per message, by process. */
  cpu: Record<string, number>
}

export interface Sends {
  clients: number
  seconds: number
  requests: readonly Buffer[] | ((number: number) => Buffer)
  /** Number of gateways to use. */
  gateways?: number
  /** Total of all clients; by default each client sends as soon as its previous request is answered. */
  perSecond?: number
}

/** The servers and services that a benchmark of sends drives. */
export type Setup = Awaited<ReturnType<typeof setUp>>

/** @param profiles folder for the gateway's CPU profile; none is written without it */
export async function setUp(profiles?: string) {
  const servers = await startServers({ onProgress: (line) => console.log(`· ${line}`) })
  const keys = await makeApp(servers.mongoUrl, 'bench')
  const env = profiles === undefined ? {} : { NODE_OPTIONS: profilesInto(profiles) }
  const gateways: ServiceProcess[] = [await startBenchService('api-gateway', servers, env)]
  const inserts: ChildProcess = fork(join(import.meta.dirname, '../insert-one.ts'), [servers.mongoUrl])
  await once(inserts, 'message')
  const bare: ChildProcess = fork(join(import.meta.dirname, '../bare-server.ts'), [servers.mongoUrl, servers.natsUrl])
  const [barePort] = (await once(bare, 'message')) as [number]
  const headers = { 'im-api-key': keys.apiKey }

  return {
    servers,
    keys,
    post: adminPost(gateways[0]?.ports['http'], keys.apiKey),
    messageRequest: (body: object) => httpRequest('POST', '/messages', headers, body),

    /** Starts gateways up to this number; returns whether one was started. */
    async haveGateways(count: number): Promise<boolean> {
      if (gateways.length >= count) return false
      while (gateways.length < count) gateways.push(await startBenchService('api-gateway', servers))
      return true
    },

    /** Also returns the CPU microseconds per insert of client and database together. */
    async insertOne(job: InsertJob): Promise<Inserted & { cpu: number }> {
      const used = () => cpuSeconds(inserts.pid ?? 0) + cpuSeconds(servers.mongo.pid ?? 0)
      const before = used()
      inserts.send(job)
      const [inserted] = (await once(inserts, 'message')) as [Inserted]
      return { ...inserted, cpu: ((used() - before) * 1e6) / (inserted.perSecond * job.seconds) }
    },

    send: ({ gateways: count = 1, ...sends }: Sends): Promise<Sent> =>
      sendTo(
        servers,
        gateways.slice(0, count).map(({ ports, pid }) => ({ port: ports['http'], pid })),
        sends,
      ),

    /** The same requests to the bare server (bare-server.ts). */
    sendBare: (sends: Omit<Sends, 'gateways'>): Promise<Sent> =>
      sendTo(servers, [{ port: barePort, pid: bare.pid ?? 0 }], sends),

    async stop(): Promise<void> {
      inserts.disconnect()
      bare.disconnect()
      await Promise.all(gateways.map((gateway) => gateway.stop()))
      await servers.stop()
    },
  }
}

/** CPU seconds used so far by each process that takes part in a send. @param server the pids of the measured server */
function cpuOf(servers: Servers, server: readonly number[]): Record<string, number> {
  return {
    gateway: server.reduce((sum, pid) => sum + cpuSeconds(pid), 0),
    mongod: cpuSeconds(servers.mongo.pid ?? 0),
    nats: cpuSeconds(servers.nats.pid ?? 0),
    generator: cpuSeconds(process.pid),
  }
}

async function sendTo(
  servers: Servers,
  through: readonly { port: number | undefined; pid: number }[],
  { clients, seconds, requests, perSecond }: Omit<Sends, 'gateways'>,
): Promise<Sent> {
  const pids = through.map(({ pid }) => pid)
  const before = cpuOf(servers, pids)
  const loads = await Promise.all(
    through.map(({ port }, i) =>
      loadHttp(`http://127.0.0.1:${port}`, requests, {
        connections: Math.floor((clients + i) / through.length),
        seconds,
        ...(perSecond !== undefined && { pace: perSecond / through.length }),
      }),
    ),
  )
  const sent = loads.reduce((sum, load) => sum + load.perSecond, 0)
  const cpu = Object.entries(cpuOf(servers, pids)).map(([name, used]) => {
    return [name, ((used - (before[name] ?? 0)) * 1e6) / (sent * seconds)] as const
  })
  return { sent, p99: Math.max(...loads.map((load) => load.p99)), cpu: Object.fromEntries(cpu) }
}
