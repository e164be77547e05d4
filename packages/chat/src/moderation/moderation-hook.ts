import {
  type ModerationAnswer,
  type ModerationCall,
  type ModerationHook,
  moderateKey,
  moderationAnswer,
  moderationHook,
} from '@parley/contracts/resources/moderation-hook'
import { type AppHook, type AppHooks, createAppHooks, type HookParts } from '../integrations/app-hooks.ts'

type HookAnswer = ModerationAnswer | { action: 'unanswered' }
type Hooks = AppHooks<ModerationHook, ModerationCall, ModerationAnswer>

/** Calls the servers that apps configure under `MODERATE` (docs/reference/moderation.md#the-hook-moderate). */
export interface Moderation {
  hookOf: Hooks['hookOf']
  /** Settles within the time limit of a call. Never fails. */
  ask(hook: AppHook<ModerationHook>, question: ModerationCall): Promise<HookAnswer>
  breakerOf: Hooks['breakerOf']
}

export function createModeration(parts: HookParts): Moderation {
  const { log, calls } = parts
  const hooks: Hooks = createAppHooks(
    parts,
    moderateKey,
    { value: (json) => moderationHook.safeParse(json).data, answer: (json) => moderationAnswer.parse(json) },
    (fields) => log.warn(fields, 'MODERATE did not answer'),
  )
  return {
    hookOf: (app) => hooks.hookOf(app),

    breakerOf: (app) => hooks.breakerOf(app),

    async ask(hook, question) {
      const beganMS = performance.now()
      const answer = (await hooks.ask(hook, hook.value.url, question)) ?? { action: 'unanswered' as const }
      calls.answered(hook.app, answer.action, (performance.now() - beganMS) / 1_000)
      return answer
    },
  }
}
