import { Redis } from 'ioredis'

export interface Presence {
  redis: Redis
}

/**
 * Connects to Redis. It reconnects for ever by itself; a command fails at once while Redis is away
 * instead of waiting in a queue, so that nothing hangs on it.
 * @throws when Redis does not answer at the start.
 */
export async function connectPresence(url: string, onError: (error: Error) => void): Promise<Presence> {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: 5_000,
    commandTimeout: 3_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  })
  redis.on('error', onError)
  await redis.connect()
  return { redis }
}

/** @throws when Redis is away. */
export async function pingPresence(presence: Presence): Promise<void> {
  await presence.redis.ping()
}

/** Ends the connection, after what is under way; at once while Redis is away. */
export async function closePresence({ redis }: Presence): Promise<void> {
  if (redis.status === 'ready') await redis.quit()
  else redis.disconnect()
}
