import { ApiError } from '@parley/contracts/errors'
import PQueue from 'p-queue'

/**
 * Runs expensive work in turns, a few at a time for each app, so that an app that asks for much delays only itself.
 * @throws ApiError TOO_MANY_REQUESTS when the turn does not come soon enough, and whatever the work throws
 */
export type AppLimit = <T>(app: string, work: () => Promise<T>) => Promise<T>

export interface Limits {
  /** How many may run at the same time for one app, and for all apps of this process. */
  perApp: number
  inAll: number
  /** How many of an app may wait; more are refused at once. */
  waiting: number
  /** How long one may wait, in milliseconds. */
  waitMS: number
}

export function limitPerApp(what: string, { perApp, inAll, waiting, waitMS }: Limits): AppLimit {
  const all = new PQueue({ concurrency: inAll })
  const byApp = new Map<string, PQueue>()
  const tooMany = () => new ApiError('TOO_MANY_REQUESTS', `too many ${what} at a time: try again in a second`)

  function queueOf(app: string): PQueue {
    const known = byApp.get(app)
    if (known) return known
    const queue = new PQueue({ concurrency: perApp })
    queue.addEventListener('idle', () => byApp.delete(app))
    byApp.set(app, queue)
    return queue
  }

  return async (app, work) => {
    const own = queueOf(app)
    if (own.pending >= perApp && own.size >= waiting) throw tooMany()
    const patience = new AbortController()
    const timer = setTimeout(() => patience.abort(tooMany()), waitMS)
    const { signal } = patience
    const begin = () => {
      clearTimeout(timer)
      return work()
    }
    return own.add(() => all.add(begin, { signal }), { signal }).finally(() => clearTimeout(timer))
  }
}
