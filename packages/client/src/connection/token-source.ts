import { asParleyError, networkError } from '../parley-error.ts'

/** Why a token is fetched. */
export interface TokenAsked {
  /** Whether Parley refused the last one: it has ended, and only another one helps. */
  refused: boolean
  /** The one that was refused: a server that has issued another since returns that. */
  last?: string
}

/** Fetches the user's token. One that throws, or takes more than 60 s, is called again later. */
export type FetchToken = (asked: TokenAsked) => Promise<string>

export interface TokenSource {
  /** The token to use now. */
  get: () => Promise<string>
  /** A token other than the one that was refused; undefined where there is none. */
  renew: (refused: string) => Promise<string | undefined>
  /** Fetches one before the present one ends: the same, where there is no newer one yet. None for a plain string. */
  fetch?: () => Promise<string>
}

/**
 * Calls with a token; when that is refused since it has ended, with a new one, if there is one. That may have been another
 * tab's, and ended too: then once more.
 * @param ended a token that is known to have ended
 */
export async function withToken<T>(
  { get, renew }: TokenSource,
  call: (token: string) => Promise<T>,
  ended?: string,
): Promise<T> {
  const given = await get()
  const renewed = given === ended ? await renew(given) : undefined
  // One that has no successor is tried as it is, and its owner is not asked twice.
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

/** How long a function may take: one that hangs is called again. */
const longestMS = 60_000

/**
 * A token, or a function that fetches one: it is called for the first token, shortly before one ends, and when one has ended.
 * @param timeoutMS how long the function may take
 */
export function createTokenSource(token: string | FetchToken, timeoutMS: number = longestMS): TokenSource {
  if (typeof token === 'string') return { get: async () => token, renew: async () => undefined }
  const fetchNew = token
  let current: string | undefined
  /** Until there is another one. */
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

/** @throws when it takes longer; a late result is dropped */
function inTime<T>(work: () => Promise<T>, timeoutMS: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no token in time')), timeoutMS)
    Promise.resolve()
      .then(work)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}
