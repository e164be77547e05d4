import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from './free-ports.ts'
import type { Launch, RunningServer } from './launch.ts'
import { locate, type ServerName } from './locate.ts'
import { directUrl, withAdmin } from './mongo.ts'
import { startProcess } from './server-process.ts'
import { tcpAnswer } from './tcp-answer.ts'
import { closeTogether, openTcpProxy } from './tcp-proxy.ts'

/** Servers of one kind with failover. */
export interface Cluster {
  url: string
  /** By port. */
  members: Map<number, RunningServer>
}

/** A directory for the servers that a test starts. `stop` kills all of them and removes it. */
export interface ServersDir {
  dir: string
  started: RunningServer[]
  stop(): Promise<void>
}

export function newServersDir(dir = mkdtempSync(join(tmpdir(), 'parley-failover-'))): ServersDir {
  const started: RunningServer[] = []
  return {
    dir,
    started,
    async stop() {
      await Promise.all(started.map((server) => server.kill()))
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Three mongod processes as one replica set with default settings. */
export async function startReplicaSet(at: ServersDir, database: string): Promise<Cluster> {
  const replicas = '--replSet failover --nounixsocket --wiredTigerCacheSizeGB 0.25'.split(' ')
  const quick = ['--setParameter', 'diagnosticDataCollectionEnabled=false']
  const launch = (port: number, data: string) => [
    ...['--bind_ip', '127.0.0.1', '--port', `${port}`, '--dbpath', data],
    ...replicas,
    ...quick,
  ]
  const ping = (port: number) => withAdmin(directUrl(port), (admin) => admin.command({ ping: 1 }))
  const ports = await freePorts(3)
  const members = await startAll(at, 'mongo', ports, launch, ping)
  const hosts = ports.map((port) => `127.0.0.1:${port}`)
  const config = { _id: 'failover', members: hosts.map((host, _id) => ({ _id, host })) }
  await withAdmin(directUrl(ports[0] ?? 0), (admin) => admin.command({ replSetInitiate: config }))
  return { url: `mongodb://${hosts.join(',')}/${database}?replicaSet=failover`, members }
}

/** The port of a replica set's primary. */
export async function primaryOf({ url }: Cluster): Promise<number> {
  const { primary } = await withAdmin(url, (admin) => admin.command({ hello: 1 }))
  return Number(String(primary).split(':')[1])
}

/** Makes the primary of a replica set step down, so that another member is elected. */
export async function stepDownPrimary({ url }: Cluster): Promise<void> {
  await withAdmin(url, (admin) => admin.command({ replSetStepDown: 10, force: true }))
}

/** Three nats-server processes with JetStream as one cluster. Servers are named by their ports. */
export async function startNatsCluster(at: ServersDir): Promise<Cluster> {
  const routes = await freePorts(3)
  let next = 0
  const launch = (port: number, data: string) => {
    const config = join(at.dir, `nats-${port}.conf`)
    const others = routes.map((route) => `nats://127.0.0.1:${route}`).join(', ')
    writeFileSync(
      config,
      `server_name: "${port}"
       listen: "127.0.0.1:${port}"
       jetstream { store_dir: "${data}", sync_interval: always }
       cluster { name: failover, listen: "127.0.0.1:${routes[next++]}", routes: [${others}] }`,
    )
    return ['-c', config]
  }
  const members = await startAll(at, 'nats', await freePorts(3), launch, (port) => tcpAnswer(port, '', 'INFO '))
  return { url: [...members.keys()].map((port) => `nats://127.0.0.1:${port}`).join(','), members }
}

/** Starts two nats-server processes with JetStream that reach each other only through proxies, so that routes can be cut. */
export async function startNatsPair(at: ServersDir) {
  const routes = await freePorts(2)
  const state = { isCut: false }
  const pass = (client: Socket, upstream: Socket) => {
    closeTogether(client, upstream)
    client.pipe(upstream).pipe(client)
  }
  const proxies = await Promise.all(
    routes.map((port) => openTcpProxy({ host: '127.0.0.1', port }, pass, () => !state.isCut)),
  )
  let next = 0
  const launch = (port: number, data: string) => {
    const config = join(at.dir, `nats-${port}.conf`)
    const own = next++
    // no_advertise: a server that knew the other's address would bypass the proxy.
    writeFileSync(
      config,
      `server_name: "${port}"
       listen: "127.0.0.1:${port}"
       jetstream { store_dir: "${data}" }
       cluster {
         name: pair
         no_advertise: true
         listen: "127.0.0.1:${routes[own]}"
         routes: ["nats://127.0.0.1:${proxies[1 - own]?.port}"]
       }`,
    )
    return ['-c', config]
  }
  const members = await startAll(at, 'nats', await freePorts(2), launch, (port) => tcpAnswer(port, '', 'INFO '))
  return {
    urls: [...members.keys()].map((port) => `nats://127.0.0.1:${port}`),
    /** Cuts the routes; clients stay connected. */
    cut() {
      state.isCut = true
      for (const { sockets } of proxies) for (const socket of sockets) socket.destroy()
    },
    /** Lets the servers reconnect. */
    mend() {
      state.isCut = false
    },
    async closeRoutes() {
      await Promise.all(proxies.map((proxy) => proxy.close()))
    },
  }
}
export type NatsPair = Awaited<ReturnType<typeof startNatsPair>>

/** A Redis master, a replica, and three Sentinels that watch them. `members` are the two servers. */
export async function startSentinels(at: ServersDir): Promise<Cluster> {
  const [master = 0, replica = 0, ...sentinels] = await freePorts(5)
  const keepNothing = ['--save', '', '--appendonly', 'no', '--bind', '127.0.0.1']
  const ping = (port: number) => tcpAnswer(port, 'PING\r\n', '+PONG')
  const server = (port: number, data: string) => [
    ...['--port', `${port}`, '--dir', data],
    ...keepNothing,
    ...(port === replica ? ['--replicaof', '127.0.0.1', `${master}`] : []),
  ]
  const sentinel = (port: number, data: string) => {
    const config = join(at.dir, `sentinel-${port}.conf`)
    writeFileSync(
      config,
      `port ${port}\nbind 127.0.0.1\ndir ${data}\nsentinel monitor parley 127.0.0.1 ${master} 2\n` +
        'sentinel down-after-milliseconds parley 2000\nsentinel failover-timeout parley 10000\n',
    )
    return [config, '--sentinel']
  }
  const members = await startAll(at, 'redis', [master, replica], server, ping)
  await startAll(at, 'redis', sentinels, sentinel, ping)
  return { url: `redis+sentinel://${sentinels.map((port) => `127.0.0.1:${port}`).join(',')}/parley`, members }
}

async function startAll(
  { dir, started }: ServersDir,
  name: ServerName,
  ports: readonly number[],
  args: (port: number, data: string) => string[],
  isReady: (port: number) => Promise<unknown>,
): Promise<Map<number, RunningServer>> {
  const { PARLEY_MONGO_URL: _m, PARLEY_NATS_URL: _n, PARLEY_REDIS_URL: _r, ...env } = process.env
  const place = await locate(name, { ...env, PARLEY_SERVERS: 'path,wheels' }, () => undefined)
  if (place.way !== 'program') throw new Error('expected a program')
  const { program } = place
  const launches = ports.map((port): Launch => {
    const data = join(dir, `${name}-${port}`)
    const given = args(port, data)
    return {
      ...{ title: `${name} ${port}`, place, port, dir: data, logFile: `${data}.log`, keepsAlive: false, tenants: 0 },
      args: () => given,
      isReady: () => isReady(port),
    }
  })
  const servers = await Promise.all(launches.map((launch) => startProcess(launch, program)))
  started.push(...servers)
  return new Map(launches.map(({ port }, i) => [port, servers[i] as RunningServer]))
}
