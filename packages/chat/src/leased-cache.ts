import type { CacheLease } from '@parley/bus/control/cache-lease'
import { LRUCache } from 'lru-cache'
import type { Log } from './ports.ts'

export interface CacheParts {
  log: Log
  cacheLease?: CacheLease | undefined
}

/** A cached value is trusted for this long, and refreshed in the background after half of it. */
const cachedMS = 2_000
/** Processes that cannot announce a change wait this long: longer than a cache lives, by a coarser clock. */
export const cacheExpiredAfterMS = cachedMS + 500

/** Caches values while changes are certain to arrive. Values that are null are not cached. */
interface LeasedCache<T> {
  /** The cached value of a key, or what `read` returns. @throws the error of `read` */
  get(key: string, read: () => Promise<T>): Promise<T>
  forget(key: string): void
  forgetAll(): void
}

interface Entry<T> {
  value: T
  readAtMS: number
}

interface PendingRead {
  isStale: boolean
}

/**
 * Creates a cache for a process that confirms every change before it is acknowledged.
 * @param lease without it, nothing is cached
 * @param onError a refresh failed; if later ones fail too, `get` throws their error
 */
export function createLeasedCache<T extends object | null>(
  lease: CacheLease | undefined,
  max: number,
  onError: (error: unknown, key: string) => void,
): LeasedCache<T> {
  const cache = new LRUCache<string, Entry<T>>({ max, ttl: cachedMS })
  const pending = new Map<string, Set<PendingRead>>()

  async function readAndCache(key: string, read: () => Promise<T>): Promise<T> {
    const own = { isStale: false }
    const [sinceMS, readAtMS] = [lease?.heardSinceMS(), performance.now()]
    pending.set(key, (pending.get(key) ?? new Set()).add(own))
    try {
      const value = await read()
      const isCertain = sinceMS !== undefined && sinceMS === lease?.heardSinceMS() && !own.isStale
      if (value === null) cache.delete(key)
      else if (isCertain) cache.set(key, { value, readAtMS }, { start: readAtMS })
      return value
    } finally {
      const left = pending.get(key)
      left?.delete(own)
      if (left?.size === 0) pending.delete(key)
    }
  }

  /** The cached entry, if no change can have been missed. */
  function cached(key: string): Entry<T> | undefined {
    const sinceMS = lease?.heardSinceMS()
    const entry = sinceMS === undefined ? undefined : cache.get(key)
    return entry && sinceMS !== undefined && entry.readAtMS >= sinceMS ? entry : undefined
  }

  function forget(key: string): void {
    cache.delete(key)
    for (const one of pending.get(key) ?? []) one.isStale = true
  }

  return {
    async get(key, read) {
      const hit = cached(key)
      if (!hit) return readAndCache(key, read)
      if (performance.now() > hit.readAtMS + cachedMS / 2 && !pending.has(key)) {
        readAndCache(key, read).catch((error: unknown) => onError(error, key))
      }
      return hit.value
    },
    forget,
    forgetAll() {
      cache.clear()
      for (const key of pending.keys()) forget(key)
    },
  }
}
