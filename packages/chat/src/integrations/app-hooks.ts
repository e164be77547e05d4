import { findApp, signingSecrets } from '@parley/db/apps/apps'
import { findConfigValue } from '@parley/db/apps/config'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import {
  BulkheadRejectedError,
  bulkhead,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
  isBrokenCircuitError,
  wrap,
} from 'cockatiel'
import { LRUCache } from 'lru-cache'
import type { CacheParts } from '../leased-cache.ts'
import type { HookCalls } from '../ports.ts'
import { cacheByApp } from './config-values.ts'

const maxApps = 10_000
/** Concurrent calls per server. Further calls count as unanswered. */
const maxInFlight = 100
/** The breaker opens after this many consecutive failures, and then lets one call through now and then. */
const failuresToPause = 5
const pauseMS = 5_000

/** The value of a configuration key that names a server, with the secrets that sign calls to it. */
export interface AppHook<V> {
  app: string
  value: V
  secrets: readonly string[]
}

/** Calls the servers that apps configure under a key. */
export interface AppHooks<V, Q, A> {
  /** Undefined if the app has no valid value. */
  hookOf(app: string): Promise<AppHook<V> | undefined>
  /** Settles within the time limit of a call; undefined if the server does not answer. */
  ask(hook: Pick<AppHook<V>, 'app' | 'secrets'>, url: string, question: Q): Promise<A | undefined>
  /** The breaker of the server that the app last called; undefined if there was no call. */
  breakerOf(app: string): Breaker | undefined
}

export interface HookParts extends CacheParts {
  db: Db
  calls: HookCalls
}

/** `open`: no calls until the pause is over; `half-open`: the next call decides. */
type Breaker = 'closed' | 'open' | 'half-open'

interface Guard {
  state(): Breaker
  isTrying(): boolean
  run<A>(call: () => Promise<A>): Promise<A>
  loggedAtMS: number
}

const stateNames: Record<CircuitState, Breaker> = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.Open]: 'open',
  [CircuitState.HalfOpen]: 'half-open',
  [CircuitState.Isolated]: 'open',
}

function newGuard(): Guard {
  const breaker = circuitBreaker(handleAll, {
    halfOpenAfter: pauseMS,
    breaker: new ConsecutiveBreaker(failuresToPause),
  })
  const policy = wrap(bulkhead(maxInFlight), breaker)
  return {
    state: () => stateNames[breaker.state],
    isTrying: () => breaker.state === CircuitState.HalfOpen,
    run: (call) => policy.execute(call),
    loggedAtMS: Number.NEGATIVE_INFINITY,
  }
}

/**
 * Creates hooks with a guard per app and server, so that a hanging server delays no other app.
 * @param reads parse the key's value (undefined if invalid) and a response (throws if invalid)
 */
export function createAppHooks<V, Q extends object, A>(
  { db, log, cacheLease, calls }: HookParts,
  name: string,
  reads: { value(json: unknown): V | undefined; answer(json: unknown): A },
  onFailure: (fields: { err: unknown; app: string; server: string }) => void,
): AppHooks<V, Q, A> {
  const hooks = cacheByApp({ log, cacheLease }, name, async (app) => ({ hook: await findHook(app) }))
  const guards = new LRUCache<string, Guard>({ max: maxApps, memoMethod: newGuard })
  /** The guard of the last call, by app. */
  const called = new LRUCache<string, Guard>({ max: maxApps })

  async function findHook(app: string): Promise<AppHook<V> | undefined> {
    const found = await findConfigValue(db, app, name)
    const value = found && reads.value(JSON.parse(found.json))
    const appDoc = value === undefined ? undefined : await findApp(db, app)
    return value !== undefined && appDoc ? { app, value, secrets: signingSecrets(appDoc) } : undefined
  }

  return {
    hookOf: async (app) => (await hooks(app)).hook,

    breakerOf: (app) => called.peek(app)?.state(),

    async ask({ app, secrets }, url, question) {
      const guard = guards.memo(key(app, url))
      called.set(app, guard)
      // Other calls would wait for the one that probes.
      if (guard.isTrying()) return undefined
      const signed = { url, id: `${name.toLowerCase()}_${newId()}`, secrets, body: JSON.stringify(question) }
      try {
        return await guard.run(async () => reads.answer(JSON.parse(await calls.call(signed))))
      } catch (error) {
        if (isBrokenCircuitError(error) || error instanceof BulkheadRejectedError) return undefined
        if (performance.now() >= guard.loggedAtMS + pauseMS) {
          guard.loggedAtMS = performance.now()
          onFailure({ err: error, app, server: new URL(url).origin })
        }
        return undefined
      }
    },
  }
}
