import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from './free-ports.ts'
import {
  type Launch,
  type LaunchPlace,
  type RunningServer,
  readyMS,
  type ServerRun,
  startServer,
  stopMS,
} from './launch.ts'
import { locate, type ServerLocation, type ServerName, titleOf } from './locate.ts'
import { mongoLaunch, mongoUrl } from './mongo.ts'
import { natsLaunch } from './nats.ts'
import { startProcess } from './server-process.ts'
import { tcpAnswer } from './tcp-answer.ts'

export type { ServerName } from './locate.ts'

/** A server that was started here, or is given by URL. In the latter case, `kill` and `restart` reject. */
interface Server extends RunningServer {
  readonly url: string
  /** The data directory; undefined for a server given by URL. */
  readonly dir: string | undefined
}

export interface Servers extends Record<ServerName, Server> {
  /** Includes the database. */
  mongoUrl: string
  natsUrl: string
  redisUrl: string
  /** Stops all servers, in reverse order of their start, and removes a temporary directory. */
  stop(): Promise<void>
}

/**
 * Starts MongoDB (a replica set), NATS with JetStream and Redis concurrently, on free ports on loopback. With the same
 * directory, reuses the same ports if they are free.
 *
 * @param dir for data and logs; by default a temporary directory that `stop` removes
 * @param database the database in mongoUrl
 * @param env provides the URLs of running servers, PATH and the location of the cache
 * @param tenants number of isolated parts of NATS and Redis
 * @param keepsAlive false if this process may exit while the servers run; they exit with it
 * @param onProgress called with a line when something starts or is done
 * @throws StackError after stopping everything that was started
 */
export async function startServers({
  dir,
  database = 'parley',
  env = process.env,
  onProgress = () => undefined,
  tenants = 0,
  keepsAlive = true,
}: {
  dir?: string
  database?: string
  env?: NodeJS.ProcessEnv
  onProgress?: (line: string) => void
  tenants?: number
  keepsAlive?: boolean
} = {}): Promise<Servers> {
  const home = dir ?? (await mkdtemp(join(tmpdir(), 'parley-servers-')))
  const [mongoPort = 0, natsPort = 0, redisPort = 0] = await keptPorts(home)
  const places = await locateAll(env, onProgress)
  const started: Server[] = []

  const begin = async (name: ServerName, port: number, url: string, launch: typeof mongoLaunch): Promise<Server> => {
    const place = places[name]
    if (place.way === 'url') {
      onProgress(`${titleOf(name)}: ${place.label}`)
      return elsewhere(name, place.url)
    }
    const at = { place, port, dir: join(home, name), logFile: join(home, 'logs', `${name}.log`), tenants, keepsAlive }
    onProgress(`${titleOf(name)}: starting ${place.label}`)
    const since = performance.now()
    const starting =
      place.way === 'docker' ? startContainer(launch(at), place.image) : startProcess(launch(at), place.program)
    const server = Object.assign(await starting, { url, dir: at.dir })
    started.push(server)
    onProgress(`${titleOf(name)}: ready on port ${port} after ${((performance.now() - since) / 1_000).toFixed(1)} s`)
    return server
  }

  const stop = async () => {
    for (const server of started.splice(0).toReversed()) await server.stop()
    if (dir === undefined) await rm(home, { recursive: true, force: true })
  }

  const results = await Promise.allSettled([
    begin('mongo', mongoPort, mongoUrl(mongoPort, database), mongoLaunch),
    begin('nats', natsPort, `nats://127.0.0.1:${natsPort}`, natsLaunch),
    begin('redis', redisPort, `redis://127.0.0.1:${redisPort}`, redisLaunch),
  ])
  const [mongo, nats, redis] = results
  if (mongo.status === 'fulfilled' && nats.status === 'fulfilled' && redis.status === 'fulfilled') {
    const servers = { mongo: mongo.value, nats: nats.value, redis: redis.value }
    return { ...servers, mongoUrl: servers.mongo.url, natsUrl: servers.nats.url, redisUrl: servers.redis.url, stop }
  }
  await stop()
  throw results.find((result) => result.status === 'rejected')?.reason
}

async function locateAll(
  env: NodeJS.ProcessEnv,
  onProgress: (line: string) => void,
): Promise<Record<ServerName, ServerLocation>> {
  // Sequentially: the first server that needs the wheels installs them for all.
  const mongo = await locate('mongo', env, onProgress)
  const nats = await locate('nats', env, onProgress)
  const redis = await locate('redis', env, onProgress)
  return { mongo, nats, redis }
}

function elsewhere(name: ServerName, url: string): Server {
  const notOurs = () => Promise.reject(new Error(`${titleOf(name)} is not run by this process`))
  return {
    url,
    dir: undefined,
    pid: undefined,
    kill: notOurs,
    restart: notOurs,
    stop: () => Promise.resolve(),
    onExit: () => undefined,
  }
}

/** redis-server without persistence: services write presence and counts again after a restart. */
function redisLaunch(at: LaunchPlace): Launch {
  const keepNothing = ['--save', '', '--appendonly', 'no']
  return {
    ...at,
    title: 'Redis',
    args: (bind, dir) => {
      const program = at.place.way === 'docker' ? ['redis-server', '--protected-mode', 'no'] : []
      // One database per tenant, plus database 0 for other clients.
      const databases = ['--databases', `${Math.max(16, at.tenants + 1)}`]
      return [...program, '--bind', bind, '--port', `${at.port}`, '--dir', dir, ...databases, ...keepNothing]
    },
    isReady: () => tcpAnswer(at.port, 'PING\r\n', '+PONG'),
  }
}

/** The ports for MongoDB, NATS and Redis: those of the last start here if free, otherwise others. */
async function keptPorts(dir: string): Promise<number[]> {
  const file = join(dir, 'ports')
  const last = (await readFile(file, 'utf8').catch(ifMissing)).split(' ').map(Number)
  const isUsable = last.length === 3 && (await Promise.all(last.map(isFree))).every(Boolean)
  const ports = isUsable ? last : await freePorts(3)
  await mkdir(dir, { recursive: true })
  await writeFile(file, ports.join(' '))
  return ports
}

function ifMissing(error: NodeJS.ErrnoException): string {
  if (error.code !== 'ENOENT') throw error
  return ''
}

function isFree(port: number): Promise<boolean> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return Promise.resolve(false)
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/**
 * Starts a server in a container, with its port published on loopback and its data in our directory. If this process is
 * killed, testcontainers' reaper removes the container.
 *
 * @throws StackError if the server exits or is not ready in time
 */
function startContainer(launch: Launch, image: string): Promise<RunningServer> {
  return startServer(launch, () => runContainer(launch, image))
}

async function runContainer({ title, port, dir, logFile, args }: Launch, image: string): Promise<ServerRun> {
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers')
  const started = await new GenericContainer(image)
    .withCommand(args('0.0.0.0', '/data'))
    .withExposedPorts({ container: port, host: port })
    .withBindMounts([{ source: dir, target: '/data' }])
    .withUser(`${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`)
    .withLabels({ 'parley.server': title })
    .withLogConsumer((stream) => stream.pipe(createWriteStream(logFile)))
    // startServer checks readiness, as for a process.
    .withWaitStrategy(Wait.forAll([]))
    .withStartupTimeout(readyMS)
    .start()
  const container = (await getContainerRuntimeClient()).container.getById(started.getId())
  const { State } = await container.inspect()
  const exited = container.wait().then(async ({ StatusCode: code }: { StatusCode: number }) => {
    await container.remove({ force: true, v: true })
    return code > 128 ? `was ended by signal ${code - 128}` : `stopped with exit code ${code}`
  })
  return {
    pid: State.Pid,
    exited,
    signal: (signal) => (signal === 'SIGKILL' ? container.kill() : container.stop({ t: stopMS / 1_000 })),
  }
}
