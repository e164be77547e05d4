import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Servers, startServers } from './up.ts'

/** Real servers for tests. Each test uses an app ID and a database of its own. */
export type ServerUrls = Pick<Servers, 'mongoUrl' | 'natsUrl' | 'redisUrl'>

let own: Promise<ServerUrls> | undefined

/**
 * The servers that all tests of a run share (`npm test` names them in PARLEY_TEST_SERVERS). In a file that is run
 * alone, servers of its own, which end with the process. mongoUrl names the database `test`; see `withDatabase`.
 */
export function testServers(): Promise<ServerUrls> {
  const shared = process.env.PARLEY_TEST_SERVERS
  if (!shared) return (own ??= ownServers())
  const urls: ServerUrls = JSON.parse(shared)
  return Promise.resolve(urls)
}

/** A MongoDB URL that names another database. */
export function withDatabase(mongoUrl: string, database: string): string {
  const url = new URL(mongoUrl)
  url.pathname = `/${database}`
  return url.href
}

/**
 * Servers of the caller's own, for tests that kill and restart them. `stop()` ends them; what is left ends with this
 * process, and its data is removed.
 */
export async function ownServers(): Promise<Servers> {
  const dir = await mkdtemp(join(tmpdir(), 'parley-test-'))
  const { PARLEY_MONGO_URL: _m, PARLEY_NATS_URL: _n, PARLEY_REDIS_URL: _r, ...env } = process.env
  const servers = await startServers({ dir, database: 'test', env, keepsAlive: false })
  process.once('exit', () => {
    for (const { pid } of [servers.mongo, servers.nats, servers.redis]) if (pid) process.kill(pid, 'SIGKILL')
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  })
  return servers
}
