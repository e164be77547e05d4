import type { SecureContextOptions } from 'node:tls'
import { isUnreachable } from '@parley/async/unreachable'
import { Redis, type RedisOptions } from 'ioredis'
import { redisOptions } from './redis-url.ts'

export interface Presence {
  redis: Redis
}

/**
 * Connects to Redis. It reconnects for ever by itself, also when Redis is away at the start; while Redis is away a command
 * fails at once instead of waiting, so that nothing hangs.
 *
 * @param url of a server or of Sentinel: see redis-url.ts
 * @param tls turns TLS on: certificates and key in PEM
 * @throws when Redis refuses the credentials, or is too old
 */
export async function connectPresence(
  url: string,
  onError: (error: Error) => void,
  tls?: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>,
): Promise<Presence> {
  const { url: server, options } = redisOptions(url, tls)
  let isStarted = false
  const settings = {
    lazyConnect: true,
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: 5_000,
    commandTimeout: 3_000,
    // A command that times out leaves the connection open: only another one leads away from a server that hangs.
    socketTimeout: 6_000,
    retryStrategy: retryAfterMS,
    // The next Sentinel is asked only when this one has failed.
    sentinelCommandTimeout: 3_000,
    sentinelRetryStrategy: (attempt: number) => (isStarted ? retryAfterMS(attempt) : null),
    // A master that has become a replica: Sentinel knows the new one.
    reconnectOnError: ({ message }: Error) => isReadOnly(message),
    ...options,
  } satisfies RedisOptions
  const redis = server === undefined ? new Redis(settings) : new Redis(server, settings)
  let last: Error | undefined
  redis.on('error', (error: Error) => {
    // ioredis attaches the refused command; for a login its arguments hold the password.
    if ('command' in error) delete error.command
    last = error
    onError(error)
  })
  try {
    await redis.connect()
    await checkServer(redis)
  } catch (error) {
    // The error of connect() says only that the connection was closed.
    const cause = error instanceof UnfitRedis ? error : (last ?? error)
    if (!isAwayAtStart(cause)) {
      redis.disconnect()
      throw cause
    }
    redis.once('ready', () => {
      checkServer(redis).catch(onError)
    })
  }
  isStarted = true
  return { redis }
}

/** A server of Redis that answers, and that Parley cannot use: the message is a sentence for the operator. */
class UnfitRedis extends Error {
  override name = 'UnfitRedis'
}

/** Whether no server was found. Anything else, such as a refused certificate or password, only an operator can change. */
function isAwayAtStart(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return isUnreachable(error) || isPresenceAway(error) || error.message.startsWith('All sentinels are unreachable')
}

/** @throws UnfitRedis when the server is too old, or evicts keys */
async function checkServer(redis: Redis): Promise<void> {
  // A user may lack the right to ask.
  const info = await redis.info().catch(() => '')
  const [version = '', major = 0, minor = 0] = /redis_version:(\d+)\.(\d+)[.\d]*/.exec(info) ?? []
  const isOlder = Number(major) < 6 || (Number(major) === 6 && Number(minor) < 2)
  if (version !== '' && isOlder) {
    throw new UnfitRedis(`the server has version ${version.split(':')[1]}: Parley needs 6.2 or newer`)
  }
  const [, policy = 'noeviction'] = /maxmemory_policy:(\S+)/.exec(info) ?? []
  const isBounded = /maxmemory:[1-9]/.test(info)
  if (isBounded && policy !== 'noeviction') {
    const loss = 'an evicted key loses connections and rate limits'
    throw new UnfitRedis(`the server evicts keys (maxmemory-policy ${policy}): set noeviction, since ${loss}`)
  }
}

const retryAfterMS = (attempt: number) => Math.min(attempt * 100, 1_000)

/** Whether a command failed because Redis is away or does not answer. ioredis has no class for that. */
export function isPresenceAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { name, message } = error
  if (name === 'MaxRetriesPerRequestError' || isReadOnly(message)) return true
  return awayMessages.some((text) => message.startsWith(text))
}

/** The outcome of work with Redis; undefined when Redis is away. */
export async function whilePresent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isPresenceAway(error)) return undefined
    throw error
  }
}

/** Until a replica is made the master, and after a master has become one. Of a script Redis 6 says it in the middle. */
const isReadOnly = (message: string) => /(^|-)READONLY /.test(message)

const awayMessages = [
  "Stream isn't writeable",
  'Connection is closed',
  'Command timed out',
  'Command aborted due to connection close',
  // Redis itself, while it starts.
  'LOADING',
]

/** @throws when Redis is away. */
export async function pingPresence(presence: Presence): Promise<void> {
  await presence.redis.ping()
}

/** Closes the connection after the commands in flight; at once while Redis is away. */
export async function closePresence({ redis }: Presence): Promise<void> {
  if (redis.status === 'ready') await redis.quit()
  else redis.disconnect()
}
