import type { SecureContextOptions } from 'node:tls'
import { firstAnswer } from '@parley/async/first-answer'
import { isUnreachable } from '@parley/async/unreachable'
import { Redis, type RedisOptions } from 'ioredis'
import { execAll } from './exec-all.ts'
import { redisOptions } from './redis-url.ts'

export interface Presence {
  redis: Redis
  /** Why the last attempt to connect failed, such as an expired certificate; undefined while connected. */
  readonly fault?: Error | undefined
  /** The server was away at the start: pingPresence checks it. */
  isUnchecked?: boolean
  /** Nodes whose reports Redis lacks: until when calls wait for them (`performance.now()`). */
  readonly awaitedNodes: Map<string, number>
}

/**
 * Connects to Redis, and keeps reconnecting, even if Redis is down at the start. While Redis is down, commands fail at
 * once, so that nothing hangs.
 *
 * @param url of a server or of Sentinel: see redis-url.ts
 * @param tls enables TLS, with certificates and key in PEM
 * @throws if Redis refuses the credentials or commands, is too old, or evicts keys
 */
export async function connectPresence(
  url: string,
  onError: (error: Error) => void,
  tls?: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>,
): Promise<Presence> {
  const { url: server, options } = redisOptions(url, tls)
  let isStarted = false
  let isUnchecked = false
  const settings = {
    lazyConnect: true,
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: 5_000,
    commandTimeout: 3_000,
    // A command timeout leaves the connection open. Closing it is the only way to leave a hanging server.
    socketTimeout: 6_000,
    retryStrategy: retryAfterMS,
    // The next Sentinel is asked only after this one fails.
    sentinelCommandTimeout: 3_000,
    sentinelRetryStrategy: (attempt: number) => (isStarted ? retryAfterMS(attempt) : null),
    // The master has become a replica; Sentinel knows the new master.
    reconnectOnError: ({ message }: Error) => isReadOnly(message),
    ...options,
  } satisfies RedisOptions
  const redis = server === undefined ? new Redis(settings) : new Redis(server, settings)
  let last: Error | undefined
  let fault: Error | undefined
  redis.on('error', (error: Error) => {
    // ioredis attaches the failed command; the arguments of AUTH contain the password.
    if ('command' in error) delete error.command
    last = error
    fault = error
    if (!isCut(error)) onError(error)
  })
  // ioredis emits no error if the server answers with one and closes the connection.
  const explainClosing = async () => {
    const before = fault
    if (before && !isCut(before)) return
    const cause = await explainCut(before ?? closed, redis.options)
    if (redis.status === 'ready' || fault !== before) return
    fault = cause
    onError(cause)
  }
  redis.on('reconnecting', () => void explainClosing())
  redis.on('ready', () => (fault = undefined))
  try {
    await redis.connect()
    await checkServer(redis)
    // A refused SELECT of the URL's database only emits an error: the connection would use database 0.
    if (last?.name === 'ReplyError') throw last
  } catch (error) {
    // connect() only reports that the connection was closed.
    const cause = error instanceof UnfitRedis ? error : await explainCut((last ?? error) as Error, redis.options)
    if (await isOtherProtocol(cause, redis.options)) {
      redis.disconnect()
      throw new UnfitRedis(`the server does not speak Redis' protocol, or needs TLS`, { cause })
    }
    if (!isAwayAtStart(cause)) {
      redis.disconnect()
      throw cause
    }
    // A connection's error is reported by its event.
    if (!last) onError(cause)
    redis.once('ready', () => {
      checkServer(redis).catch(onError)
    })
    isUnchecked = true
  }
  isStarted = true
  return {
    redis,
    isUnchecked,
    awaitedNodes: new Map(),
    get fault() {
      return fault
    },
  }
}

/** The Redis server lacks what Parley needs. The message is one sentence for the operator. */
class UnfitRedis extends Error {
  override name = 'UnfitRedis'
}

/** Whether the server answers something else, such as HTTP, or closes the connection once it gets Redis' protocol. */
async function isOtherProtocol(error: unknown, options: RedisOptions): Promise<boolean> {
  if (!(error instanceof Error)) return false
  // Sentinel has spoken to the server that it names.
  return (
    error.message.startsWith('Unknown RESP type') ||
    (isCut(error) && !options.sentinels && (await greetingOf(options)) !== '')
  )
}

/** The error with which the server refuses connections, if it cut one off; otherwise the given error. */
async function explainCut(error: Error, options: RedisOptions): Promise<Error> {
  if (!isCut(error) || options.sentinels) return error
  const refusal = (await greetingOf(options))?.match(/^-(.+)\r\n/)?.[1]
  return refusal === undefined ? error : new Error(refusal, { cause: error })
}

/**
 * The first bytes that the server sends: Redis refuses a connection with an error (`-ERR max number of clients reached`).
 * Empty if it closes the connection instead, or is gone: a proxy that has lost its server. Undefined if it waits for bytes:
 * MongoDB, or Redis with TLS.
 */
async function greetingOf({ path, host = 'localhost', port = 6_379 }: RedisOptions): Promise<string | undefined> {
  const { text, end } = await firstAnswer(path === undefined ? { host, port } : { path }, { waitMS: 500 })
  return end === 'silent' ? undefined : text
}

const closed = new Error('Connection is closed.')

function isCut({ code, message }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'ECONNRESET' || message === 'Connection is closed.'
}

/** Whether no server was reached. Other errors, such as a refused certificate or password, need an operator. */
function isAwayAtStart(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  return (
    isUnreachable(error) ||
    isPresenceAway(error) ||
    isCut(error) ||
    error.message.startsWith('All sentinels are unreachable')
  )
}

/** @throws if the server is too old, evicts keys, or refuses commands */
async function checkServer(redis: Redis): Promise<void> {
  // The user may lack permission for INFO.
  const info = await redis.info().catch(() => '')
  const [version = '', major = 0, minor = 0] = /redis_version:(\d+)\.(\d+)[.\d]*/.exec(info) ?? []
  const isOlder = Number(major) < 6 || (Number(major) === 6 && Number(minor) < 2)
  if (version !== '' && isOlder) {
    throw new UnfitRedis(`the server has version ${version.split(':')[1]}: Parley needs 6.2 or newer`)
  }
  const [, policy = 'noeviction'] = /maxmemory_policy:(\S+)/.exec(info) ?? []
  const isBounded = /maxmemory:[1-9]/.test(info)
  if (isBounded && policy !== 'noeviction') {
    const loss = 'eviction loses connections and rate limits'
    throw new UnfitRedis(`the server evicts keys (maxmemory-policy ${policy}): set noeviction, since ${loss}`)
  }
  await tryCommands(redis)
}

const trialKey = 'parley:trial'
/** One command of each kind that Parley sends. */
const trialScript = `
redis.call('del', KEYS[1])
redis.call('hset', KEYS[1], 'field', 1)
redis.call('hgetall', KEYS[1])
redis.call('del', KEYS[1])
redis.call('zadd', KEYS[1], 1, 'member')
redis.call('zrange', KEYS[1], 0, -1)
redis.call('pexpire', KEYS[1], 1000)`

/**
 * Writes, by itself, in a script and in a transaction: a replica, and a server with too strict an ACL, answer PING.
 * @throws if Redis is down, or refuses a command
 */
async function tryCommands(redis: Redis): Promise<void> {
  await redis.set(trialKey, 1, 'PX', 1_000)
  await redis.eval(trialScript, 1, trialKey)
  await execAll(redis.multi().del(trialKey))
}

const retryAfterMS = (attempt: number) => Math.min(attempt * 100, 1_000)

/**
 * Whether a command failed because Redis is down, does not respond or refuses writes. ioredis has no error class for
 * that. A discarded transaction has the errors of its commands in `previousErrors`.
 */
export function isPresenceAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { name, message } = error
  if (name === 'MaxRetriesPerRequestError' || isReadOnly(message) || refusesWrites(message)) return true
  if ('previousErrors' in error && (error.previousErrors as unknown[]).some(isPresenceAway)) return true
  return awayMessages.some((text) => message.startsWith(text))
}

/** The result of `work`; undefined if Redis is down. */
export async function whilePresent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isPresenceAway(error)) return undefined
    throw error
  }
}

/** The server is a replica, during or after a failover. For scripts, Redis 6 reports it inside the message. */
const isReadOnly = (message: string) => /(^|-)READONLY /.test(message)

/** The server is at its `maxmemory`, or could not save its data. */
const refusesWrites = (message: string) => /(^|-)(?:OOM|MISCONF) /.test(message)

const awayMessages = [
  "Stream isn't writeable",
  'Connection is closed',
  'Command timed out',
  'Command aborted due to connection close',
  // Sent by Redis while it loads its data.
  'LOADING',
  'ERR max number of clients reached',
]

/** @throws if Redis is down, with the cause, or refuses commands; UnfitRedis if it was away at the start and is unfit */
export async function pingPresence(presence: Presence): Promise<void> {
  const { redis, fault } = presence
  if (fault && redis.status !== 'ready') throw new Error(`Redis is disconnected: ${fault.message}`, { cause: fault })
  if (!presence.isUnchecked) return tryCommands(redis)
  await checkServer(redis)
  presence.isUnchecked = false
}

/** Closes the connection after the commands in flight, or at once if Redis is down. */
export async function closePresence({ redis }: Presence): Promise<void> {
  if (redis.status === 'ready') await redis.quit()
  else redis.disconnect()
}

/** Redis's used and maximum memory in bytes; `maxBytes` is 0 if unlimited. @throws if Redis is down */
export async function readRedisMemory({ redis }: Presence): Promise<{ bytes: number; maxBytes: number }> {
  const text = await redis.info('memory')
  const figure = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(text)?.[1] ?? 0)
  return { bytes: figure('used_memory'), maxBytes: figure('maxmemory') }
}
