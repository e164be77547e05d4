import { clock } from '@parley/async/clock'
import { watchOutage } from '@parley/async/outage'
import type { Presence } from './connect.ts'

interface Count {
  window: number
  windowMS: number
  /** A count up to this is not shared. */
  quiet: number
  /** The total in Redis at the last exchange. */
  shared: number
  /** Counted in this process, but not yet in `shared`. */
  own: number
  /** The part of `own` that is in flight to Redis. */
  sending: number
}

const shareEveryMS = 100
/** Up to this fraction of a limit, a process does not share its count. Most users stay below and cost Redis nothing. */
const quietShare = 0.02

/**
 * Counts requests by name in fixed windows, over all processes: in memory, and ten times a second in Redis, so that requests
 * do not wait for a round trip. A limit is exceeded by at most 100 ms of requests, plus 2 % per further process. While Redis
 * is down, each process counts separately.
 */
export function createRequestCounts({ redis }: Presence, onError: (error: Error) => void) {
  const counts = new Map<string, Count>()
  const outage = watchOutage(onError)

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
    if (unshared.length > 0) outage.ended()
  }

  let timer: NodeJS.Timeout | undefined
  let sharing: Promise<void> | undefined
  let isStopped = false
  /** Schedules sharing. Without requests, there is no timer. */
  function shareSoon(): void {
    if (isStopped || counts.size === 0) return
    timer ??= setTimeout(() => {
      sharing = share()
        .catch(outage.failed)
        .finally(() => {
          timer = undefined
          sharing = undefined
          shareSoon()
        })
    }, shareEveryMS)
  }

  return {
    /**
     * Counts one request. Returns the number of requests in this window, including this one, and the time until its end.
     * @param limit a process whose own count is far below the limit does not share it
     */
    hit(name: string, windowMS: number, limit: number) {
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
    /** Adds counts to Redis. */
    share,
    /** Resolves when the sharing in flight has ended. */
    async stop() {
      isStopped = true
      if (!sharing) clearTimeout(timer)
      await sharing
    },
  }
}
export type RequestCounts = ReturnType<typeof createRequestCounts>
