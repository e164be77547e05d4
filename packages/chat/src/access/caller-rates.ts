import { type ApiError, tooManyOf } from '@parley/contracts/errors'
import type { RequestCounts } from '@parley/presence/request-counts'
import type { SignedInOperator } from '../operators/sessions.ts'
import type { AuthenticatedIntegrator, AuthenticatedUser } from './caller.ts'

/** Requests and emits per minute, over all gateways and nodes; 0 means no limit. */
export interface CallerLimits {
  /** Default of a key. */
  perApiKey: number
  /** For a user, over all tokens and sockets. */
  perUser: number
  /** For all users of an app together. */
  perApp: number
}

/** Counts a request or emit. Returns TOO_MANY_REQUESTS once the caller has exceeded a limit. */
export type CallerRates = (
  caller: AuthenticatedIntegrator | AuthenticatedUser | SignedInOperator,
) => ApiError | undefined

const windowMS = 60_000
/** Enough for a person with several open pages. */
const perOperator = 3_000

export function createCallerRates(
  counts: Pick<RequestCounts, 'hit'>,
  { perApiKey, perUser, perApp }: CallerLimits,
): CallerRates {
  function refusal(name: string, max: number, what: string): ApiError | undefined {
    if (max === 0) return undefined
    const { count, leftMS } = counts.hit(name, windowMS, max)
    return count > max ? tooManyOf(`requests ${what}`, leftMS) : undefined
  }

  return (caller) => {
    if ('operator' in caller) return refusal(`operator ${caller.operator._id}`, perOperator, 'of the operator')
    const { app } = caller
    if (caller.kind === 'integrator') {
      const max = caller.key.ratePerMinute ?? perApiKey
      return refusal(`key ${app} ${caller.keyDigest}`, max, 'with the API key')
    }
    // The user's limit comes first, so that a refused request does not count for the app.
    return (
      refusal(`user ${app}\0${caller.user}`, perUser, 'of the user') ??
      refusal(`app ${app}`, perApp, 'of all users of the app')
    )
  }
}
