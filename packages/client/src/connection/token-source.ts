import { asParleyError, networkError } from '../parley-error.ts'
import { inTime } from '../pauses.ts'

/** Why a token is fetched. */
export interface TokenAsked {
  /** Whether Parley refused the last token. Return a different one then. */
  refused: boolean
  /** The refused token. If your server has issued another one since, return that. */
  last?: string
}

/** Fetches the user's token. Retried if it throws or takes more than 60 s. */
export type FetchToken = (asked: TokenAsked) => Promise<string>

export interface TokenSource {
  /** The token to use now. */
  get: () => Promise<string>
  /** A token other than the refused one; undefined if there is none. */
  renew: (refused: string) => Promise<string | undefined>
  /** Fetches a token before the current one expires; may return the same one. Absent for a plain string. */
  fetch?: () => Promise<string>
}

/**
 * Calls with a token, and retries with a new one if it is refused. The new one may come from another tab and have
 * expired too, so there is a second retry.
 * @param ended a token known to have expired
 */
export async function withToken<T>(
  { get, renew }: TokenSource,
  call: (token: string) => Promise<T>,
  ended?: string,
): Promise<T> {
  const given = await get()
  const renewed = given === ended ? await renew(given) : undefined
  // Without a successor, try the token as is, and do not fetch twice.
  let left = given === ended && renewed === undefined ? 0 : 2
  let token = renewed ?? given
  for (;;) {
    try {
      return await call(token)
    } catch (error) {
      const isRefused = asParleyError(error).code === 'INVALID_TOKEN' && left-- > 0
      const next = isRefused ? await renew(token) : undefined
      if (next === undefined) throw error
      token = next
    }
  }
}

/** Timeout of a token function. One that hangs is called again. */
const longestMS = 60_000

/**
 * Wraps a token, or a function that is called for the first token, shortly before expiry, and after a refusal.
 * @param timeoutMS of the function
 */
export function createTokenSource(token: string | FetchToken, timeoutMS: number = longestMS): TokenSource {
  if (typeof token === 'string') return { get: async () => token, renew: async () => undefined }
  const fetchNew = token
  let current: string | undefined
  /** Kept until a different token arrives. */
  let refusedToken: string | undefined
  let fetching: Promise<string> | undefined

  /** Concurrent callers share one token. */
  function fetchToken(): Promise<string> {
    const last = refusedToken
    const asked = last === undefined ? { refused: false } : { refused: true, last }
    fetching ??= inTime(() => fetchNew(asked), timeoutMS)
      .then(
        (fetched) => {
          current = fetched
          if (fetched !== last) refusedToken = undefined
          return fetched
        },
        (error: unknown) => {
          // Anything that keeps the integrator's server from responding may be transient.
          throw networkError(error)
        },
      )
      .finally(() => {
        fetching = undefined
      })
    return fetching
  }

  return {
    fetch: fetchToken,
    get: async () => current ?? (await fetchToken()),
    async renew(refused) {
      if (current === refused) {
        current = undefined
        refusedToken = refused
      }
      const next = current ?? (await fetchToken())
      return next === refused ? undefined : next
    },
  }
}
