import { ApiError } from '@parley/contracts/errors'
import PQueue from 'p-queue'

/** The caller: a user of an app, or all of its API keys together. */
interface TurnOf {
  app: string
  user?: string
}

/**
 * Limits the concurrency of expensive work per user and app: a busy app delays only itself, and a busy user leaves
 * slots for others.
 * @throws ApiError TOO_MANY_REQUESTS if no slot is free soon enough, and the errors of the work
 */
export type AppLimit = <T>(caller: TurnOf, work: () => Promise<T>) => Promise<T>

export interface Limits {
  /** Maximum concurrency for one user, for one app, and for all apps of this process. */
  perUser: number
  perApp: number
  inAll: number
  /** Maximum queue length of a user, and of an app; further work is refused at once. */
  waitingPerUser: number
  waiting: number
  /** Maximum wait in milliseconds. */
  waitMS: number
}

/** Limits for work that only API keys request, per app. */
export function forKeys(perApp: number): Pick<Limits, 'perUser' | 'perApp' | 'waitingPerUser'> {
  return { perUser: perApp, perApp, waitingPerUser: 0 }
}

export function limitPerApp(
  what: string,
  { perUser, perApp, inAll, waitingPerUser, waiting, waitMS }: Limits,
): AppLimit {
  const all = new PQueue({ concurrency: inAll })
  const apps = createQueues(perApp)
  const users = createQueues(perUser)
  const inApp = new Map<string, number>()
  const tooMany = () => new ApiError('TOO_MANY_REQUESTS', `too many concurrent ${what}: try again in a second`)

  function count(app: string, by: 1 | -1): void {
    const now = (inApp.get(app) ?? 0) + by
    if (now === 0) inApp.delete(app)
    else inApp.set(app, now)
  }

  return async ({ app, user }, work) => {
    const own = user === undefined ? undefined : users.of(`${app}\0${user}`)
    if ((inApp.get(app) ?? 0) >= perApp + waiting) throw tooMany()
    if (own && own.pending + own.size >= perUser + waitingPerUser) throw tooMany()
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(tooMany()), waitMS)
    const { signal } = deadline
    const begin = () => {
      clearTimeout(timer)
      return work()
    }
    const inTurnOfApp = () => apps.of(app).add(() => all.add(begin, { signal }), { signal })
    count(app, 1)
    try {
      // A user's own queue lets only `perUser` items into the app's queue, so users take turns there.
      return await (own ? own.add(inTurnOfApp, { signal }) : inTurnOfApp())
    } finally {
      clearTimeout(timer)
      count(app, -1)
    }
  }
}

/** A queue per name, as long as it has work. */
function createQueues(concurrency: number) {
  const queues = new Map<string, PQueue>()
  return {
    of(name: string): PQueue {
      const known = queues.get(name)
      if (known) return known
      const queue = new PQueue({ concurrency })
      queue.addEventListener('idle', () => queues.delete(name))
      queues.set(name, queue)
      return queue
    },
  }
}
