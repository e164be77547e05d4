import { ApiError } from '@parley/contracts/errors'
import {
  type ModerationAnswer,
  type ModerationCall,
  type ModerationHook,
  moderationAnswer,
  moderationHook,
} from '@parley/contracts/resources/moderation-hook'
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
import type { HookCalls, Log } from '../ports.ts'

/** The config key of the hook. */
export const moderateKey = 'MODERATE'
/** A change of the hook holds after this long at every process. */
const believedMS = 2_000
const mostApps = 10_000
/** Calls of one app in flight; further ones count as unanswered. */
const mostInFlight = 100
/** After this many failures in a row the hook is asked only now and then, by one message at a time. */
const failuresToPause = 5
const pauseMS = 5_000

type HookAnswer = ModerationAnswer | { action: 'unanswered' }

/** Asks the servers that apps name under `MODERATE` (docs/reference/moderation.md#the-hook-moderate). */
export interface Moderation {
  hookOf(app: string): Promise<AppHook | undefined>
  /** Settles within the time limit of a call; never fails. */
  ask(hook: AppHook, question: ModerationCall): Promise<HookAnswer>
}

export interface AppHook extends ModerationHook {
  app: string
  /** The app's secrets, by which calls are signed. */
  secrets: readonly string[]
}

/** Bounds the calls to one server. */
interface Guard {
  isTrying(): boolean
  run(call: () => Promise<ModerationAnswer>): Promise<ModerationAnswer>
  loggedAtMS: number
}

function newGuard(): Guard {
  const breaker = circuitBreaker(handleAll, {
    halfOpenAfter: pauseMS,
    breaker: new ConsecutiveBreaker(failuresToPause),
  })
  const policy = wrap(bulkhead(mostInFlight), breaker)
  return {
    isTrying: () => breaker.state === CircuitState.HalfOpen,
    run: (call) => policy.execute(call),
    loggedAtMS: Number.NEGATIVE_INFINITY,
  }
}

/** Each app has its own guard: a hanging server delays no other app. */
export function createModeration({ db, log, calls }: { db: Db; log: Log; calls: HookCalls }): Moderation {
  const hooks = new LRUCache<string, { hook: AppHook | undefined }>({
    max: mostApps,
    ttl: believedMS,
    fetchMethod: async (app) => ({ hook: await findHook(app) }),
    // While the database is away, the old configuration holds: sends fail meanwhile.
    allowStaleOnFetchRejection: true,
    noDeleteOnFetchRejection: true,
  })
  const guards = new LRUCache<string, Guard>({ max: mostApps, memoMethod: newGuard })

  async function findHook(app: string): Promise<AppHook | undefined> {
    const found = await findConfigValue(db, app, moderateKey)
    const hook = found && moderationHook.safeParse(JSON.parse(found.json)).data
    const appDoc = hook && (await findApp(db, app))
    return appDoc ? { ...hook, app, secrets: signingSecrets(appDoc) } : undefined
  }

  async function call({ app, url, secrets }: AppHook, question: ModerationCall): Promise<HookAnswer> {
    const guard = guards.memo(key(app, url))
    // Others would wait for the one message that tries again.
    if (guard.isTrying()) return { action: 'unanswered' }
    const signed = { url, id: `moderate_${newId()}`, secrets, body: JSON.stringify(question) }
    try {
      return await guard.run(async () => moderationAnswer.parse(JSON.parse(await calls.call(signed))))
    } catch (error) {
      if (isBrokenCircuitError(error) || error instanceof BulkheadRejectedError) return { action: 'unanswered' }
      if (performance.now() >= guard.loggedAtMS + pauseMS) {
        guard.loggedAtMS = performance.now()
        log.warn({ err: error, app, server: new URL(url).origin }, 'MODERATE did not answer')
      }
      return { action: 'unanswered' }
    }
  }

  return {
    hookOf: async (app) => (await hooks.fetch(app))?.hook,

    async ask(hook, question) {
      const beganMS = performance.now()
      const answer = await call(hook, question)
      calls.answered(answer.action, (performance.now() - beganMS) / 1_000)
      return answer
    },
  }
}

/** @throws ApiError INVALID_BODY when the value of the key is no hook; null is none */
export function checkModeration(value: unknown): void {
  const [issue] = value === null ? [] : (moderationHook.safeParse(value).error?.issues ?? [])
  if (issue) throw new ApiError('INVALID_BODY', `${[moderateKey, ...issue.path].join('.')}: ${issue.message}`)
}
