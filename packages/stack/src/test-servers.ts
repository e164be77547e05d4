import { rmSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import type { ServerName } from './locate.ts'
import { natsTenant } from './nats.ts'
import { makeTestDataDir } from './test-data.ts'
import { type Servers, startServers } from './up.ts'

/** Real servers for tests. Each test uses its own app ID and database. */
export type ServerUrls = Pick<Servers, 'mongoUrl' | 'natsUrl' | 'redisUrl'>

interface SharedServers extends ServerUrls {
  /** The folder that records claimed tenants; absent for servers given by URL, which have none. */
  tenantsDir?: string
}

/** More than the number of test files. */
const maxTenants = 400
const variable = 'PARLEY_TEST_SERVERS'

/**
 * Starts the servers that all tests of a run share; `testServers` and `isolatedServers` find them through the
 * environment.
 */
export async function startSharedServers(onProgress: (line: string) => void): Promise<Pick<Servers, 'stop'>> {
  const dir = makeTestDataDir()
  const servers = await startServers({ dir, database: 'test', tenants: maxTenants, onProgress })
  const { mongoUrl, natsUrl, redisUrl, nats, redis } = servers
  const shared: SharedServers = { mongoUrl, natsUrl, redisUrl }
  if (nats.pid && redis.pid) shared.tenantsDir = await mkdtemp(join(tmpdir(), 'parley-tenants-'))
  process.env[variable] = JSON.stringify(shared)
  return {
    stop: async () => {
      await servers.stop()
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
      if (shared.tenantsDir) rmSync(shared.tenantsDir, { recursive: true, force: true })
    },
  }
}

function sharedServers(): SharedServers | undefined {
  const shared = process.env[variable]
  return shared === undefined ? undefined : JSON.parse(shared)
}

/** Whether the servers of `testServers` and their data are removed after the tests. False for servers given by URL. */
export function areRemovedAfterRun(): boolean {
  return sharedServers() === undefined || areTenants()
}

/** Whether `isolatedServers` are parts of the servers of `testServers`. */
export function areTenants(): boolean {
  return sharedServers()?.tenantsDir !== undefined
}

let own: Promise<ServerUrls> | undefined

/**
 * The servers that all tests of a run share. Without `npm test`, each process starts its own. `mongoUrl` names the
 * database `test`; see `withDatabase`.
 */
export function testServers(): Promise<ServerUrls> {
  const shared = sharedServers()
  return shared ? Promise.resolve(shared) : (own ??= ownServers())
}

/** The MongoDB URL with another database. */
export function withDatabase(mongoUrl: string, database: string): string {
  const url = new URL(mongoUrl)
  url.pathname = `/${database}`
  return url.href
}

/**
 * Isolated servers: a database, a NATS account and a Redis database on the shared servers. `stop()` drops the database.
 *
 * @param toKill servers that the test kills and restarts; started for this test, and ended by `stop()` or with this
 * process
 */
export async function isolatedServers(toKill: readonly ServerName[] = []): Promise<Servers> {
  const shared = sharedServers()
  if (!shared?.tenantsDir) return ownServers()
  const urls = await takeTenant(shared, shared.tenantsDir)
  const servers = await ownServers({
    ...(!toKill.includes('mongo') && { PARLEY_MONGO_URL: urls.mongoUrl }),
    ...(!toKill.includes('nats') && { PARLEY_NATS_URL: urls.natsUrl }),
    ...(!toKill.includes('redis') && { PARLEY_REDIS_URL: urls.redisUrl }),
  })
  return {
    ...servers,
    async stop() {
      await servers.stop()
      if (!toKill.includes('mongo')) await dropDatabase(urls.mongoUrl)
    },
  }
}

/** Claims an unused tenant of the shared servers. */
async function takeTenant({ mongoUrl, natsUrl, redisUrl }: ServerUrls, tenantsDir: string): Promise<ServerUrls> {
  for (let number = 1; number <= maxTenants; number++) {
    // mkdir succeeds in one process only.
    const isOurs = await mkdir(join(tenantsDir, String(number))).then(
      () => true,
      () => false,
    )
    if (!isOurs) continue
    const name = natsTenant(number)
    const nats = new URL(natsUrl)
    const redis = new URL(redisUrl)
    nats.username = name
    nats.password = name
    redis.pathname = `/${number}`
    return { mongoUrl: withDatabase(mongoUrl, name), natsUrl: nats.href, redisUrl: redis.href }
  }
  throw new Error(`all ${maxTenants} tenants of the shared servers are taken`)
}

async function dropDatabase(mongoUrl: string): Promise<void> {
  const client = new MongoClient(mongoUrl)
  await client.db().dropDatabase({ writeConcern: { w: 1 } })
  await client.close()
}

/** @param urls URLs of existing servers; the other servers are started */
async function ownServers(urls: NodeJS.ProcessEnv = {}): Promise<Servers> {
  const dir = makeTestDataDir()
  const { PARLEY_MONGO_URL: _m, PARLEY_NATS_URL: _n, PARLEY_REDIS_URL: _r, ...env } = process.env
  const servers = await startServers({ dir, database: 'test', env: { ...env, ...urls }, keepsAlive: false })
  process.once('exit', () => {
    for (const { pid } of [servers.mongo, servers.nats, servers.redis]) if (pid) process.kill(pid, 'SIGKILL')
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  })
  return servers
}
