import { clock } from '@parley/async/clock'
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
import { LRUCache } from 'lru-cache'
import type { HookCalls, Log } from '../ports.ts'

/** The config key of the hook. */
export const moderateKey = 'MODERATE'
/** A change of the hook holds after this long at every process. */
const believedMS = 2_000
const mostApps = 10_000
/** Of one app: what comes beyond counts as not answered. */
const mostInFlight = 100
/** After so many failures in a row it is asked only once in a while, by one message at a time. */
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

interface HookState {
  inFlight: number
  failures: number
  pausedUntilMS: number
  loggedAtMS: number
}

/** Each app has places and failures of its own: one whose server hangs keeps no other waiting. */
export function createModeration({ db, log, calls }: { db: Db; log: Log; calls: HookCalls }): Moderation {
  const hooks = new LRUCache<string, { hook: AppHook | undefined }>({
    max: mostApps,
    ttl: believedMS,
    fetchMethod: async (app) => ({ hook: await findHook(app) }),
    // While the database is away, what was known holds: nothing is sent meanwhile.
    allowStaleOnFetchRejection: true,
    noDeleteOnFetchRejection: true,
  })
  const states = new LRUCache<string, HookState>({ max: mostApps })

  async function findHook(app: string): Promise<AppHook | undefined> {
    const found = await findConfigValue(db, app, moderateKey)
    const hook = found && moderationHook.safeParse(JSON.parse(found.json)).data
    const appDoc = hook && (await findApp(db, app))
    return appDoc ? { ...hook, app, secrets: signingSecrets(appDoc) } : undefined
  }

  function stateOf({ app, url }: AppHook): HookState {
    const name = key(app, url)
    const state = states.get(name) ?? { inFlight: 0, failures: 0, pausedUntilMS: 0, loggedAtMS: 0 }
    states.set(name, state)
    return state
  }

  async function call({ app, url, secrets }: AppHook, state: HookState, question: ModerationCall): Promise<HookAnswer> {
    state.inFlight++
    try {
      const signed = { url, id: `moderate_${newId()}`, secrets, body: JSON.stringify(question) }
      const answer = moderationAnswer.parse(JSON.parse(await calls.call(signed)))
      state.failures = 0
      return answer
    } catch (error) {
      const now = clock.now()
      state.failures++
      state.pausedUntilMS = now + pauseMS
      if (now >= state.loggedAtMS + pauseMS) {
        state.loggedAtMS = now
        log.warn({ err: error, app, server: new URL(url).origin, failures: state.failures }, 'MODERATE did not answer')
      }
      return { action: 'unanswered' }
    } finally {
      state.inFlight--
    }
  }

  return {
    hookOf: async (app) => (await hooks.fetch(app))?.hook,

    async ask(hook, question) {
      const beganMS = performance.now()
      const state = stateOf(hook)
      const answer = mayAsk(state) ? await call(hook, state, question) : ({ action: 'unanswered' } as const)
      calls.answered(answer.action, (performance.now() - beganMS) / 1_000)
      return answer
    },
  }
}

function mayAsk({ inFlight, failures, pausedUntilMS }: HookState): boolean {
  if (failures < failuresToPause) return inFlight < mostInFlight
  return inFlight === 0 && clock.now() >= pausedUntilMS
}

/** @throws ApiError INVALID_BODY when the value of the key is no hook; null is none */
export function checkModeration(value: unknown): void {
  const [issue] = value === null ? [] : (moderationHook.safeParse(value).error?.issues ?? [])
  if (issue) throw new ApiError('INVALID_BODY', `${[moderateKey, ...issue.path].join('.')}: ${issue.message}`)
}
