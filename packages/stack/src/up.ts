import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keptPorts } from './kept-ports.ts'
import type { RunningServer } from './launch.ts'
import { locate, type ServerLocation, type ServerName, titleOf } from './locate.ts'
import { mongoLaunch, mongoUrl } from './mongo.ts'
import { natsLaunch } from './nats.ts'
import { redisLaunch } from './redis.ts'
import { startContainer } from './server-container.ts'
import { startProcess } from './server-process.ts'

export type { ServerName } from './locate.ts'

/** A real server: started here, or given by a URL; then kill and restart throw. */
interface Server extends RunningServer {
  readonly url: string
  /** Where it keeps its data; undefined for one from a URL. */
  readonly dir: string | undefined
}

export interface Servers extends Record<ServerName, Server> {
  /** With the database that was asked for in its path. */
  mongoUrl: string
  natsUrl: string
  redisUrl: string
  /** Ends all, Redis first, MongoDB last; a throw-away directory is removed. */
  stop(): Promise<void>
}

/**
 * Starts MongoDB (a replica set), NATS with JetStream and Redis at once, on free ports of loopback; on the same data, on the same ports while
 * they are free.
 *
 * @param dir where data and logs are kept; left out, a new directory that `stop` removes
 * @param database the database named in mongoUrl
 * @param env where the URLs of running servers, PATH and the cache are looked up
 * @param tenants into how many parts NATS and Redis are divided that do not see each other, for `tenantOf`
 * @param keepsAlive false lets this process end while they run (and them with it)
 * @param onProgress gets a line when something begins or is done
 * @throws StackError, after everything that was started has ended
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
      onProgress(`${titleOf(name)}: ${place.said}`)
      return elsewhere(name, place.url)
    }
    const at = { place, port, dir: join(home, name), logFile: join(home, 'logs', `${name}.log`), tenants, keepsAlive }
    onProgress(`${titleOf(name)}: starting ${place.said}`)
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
  // One after the other: the first that needs the wheels installs them for all.
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
