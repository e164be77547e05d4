import { clock } from '@parley/async/clock'
import type { Presence } from './connect.ts'

/** Counts requests by name in fixed windows, over all processes that share the Redis. */
export interface RequestCounts {
  /**
   * Counts one request; returns how many there were in this window, this one included, and when it ends.
   * @param limit the limit for the count: a process far below it alone does not share its count
   */
  hit(name: string, windowMS: number, limit: number): { count: number; leftMS: number }
  /** Settles when all requests counted so far are shared. */
  share(): Promise<void>
  /** Settles when the sharing in flight is over. */
  stop(): Promise<void>
}

interface Count {
  window: number
  windowMS: number
  /** A count up to this stays here. */
  quiet: number
  /** The count of all processes when Redis was last asked. */
  shared: number
  /** Counted here and not yet in `shared`. */
  own: number
  /** The part of `own` that is on its way to Redis. */
  sending: number
}

const shareEveryMS = 100
/** The share of a limit that a process may count by itself: most users stay below it, and cost Redis nothing. */
const quietShare = 0.02

/**
 * Counts in memory, and adds the counts up in Redis ten times a second: a request waits for no round trip, and a
 * limit is overrun by at most a tenth of a second of requests, and 2 % for each further process. While Redis is away each process counts for itself.
 */
export function createRequestCounts({ redis }: Presence, onError: (error: Error) => void): RequestCounts {
  const counts = new Map<string, Count>()

  async function shareOne(name: string, count: Count): Promise<void> {
    const { own, sending, window, windowMS } = count
    const fresh = own - sending
    const key = `parley:requests:${windowMS}:${window}:${name}`
    count.sending += fresh
    try {
      const [total] = await Promise.all([redis.incrby(key, fresh), redis.pexpire(key, 2 * windowMS)])
      count.shared = Math.max(count.shared, total)
      count.own -= fresh
    } finally {
      count.sending -= fresh
    }
  }

  async function share(): Promise<void> {
    const unshared: Promise<void>[] = []
    for (const [name, count] of counts) {
      if (count.window !== Math.floor(clock.now() / count.windowMS)) counts.delete(name)
      else if (count.own > count.sending && count.own + count.shared > count.quiet) unshared.push(shareOne(name, count))
    }
    await Promise.all(unshared)
  }

  let timer: NodeJS.Timeout | undefined
  let sharing: Promise<void> | undefined
  let isStopped = false
  /** Without requests there is nothing to share, and no timer. */
  function shareSoon(): void {
    if (isStopped || counts.size === 0) return
    timer ??= setTimeout(() => {
      sharing = share()
        .catch(onError)
        .finally(() => {
          timer = undefined
          sharing = undefined
          shareSoon()
        })
    }, shareEveryMS)
  }

  return {
    hit(name, windowMS, limit) {
      const now = clock.now()
      const window = Math.floor(now / windowMS)
      let count = counts.get(name)
      if (count?.window !== window) {
        count = { window, windowMS, quiet: limit * quietShare, shared: 0, own: 0, sending: 0 }
        counts.set(name, count)
      }
      count.own++
      shareSoon()
      return { count: count.shared + count.own, leftMS: (window + 1) * windowMS - now }
    },
    share,
    async stop() {
      isStopped = true
      if (!sharing) clearTimeout(timer)
      await sharing
    },
  }
}
