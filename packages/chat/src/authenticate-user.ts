import { ApiError } from '@parley/contracts/errors'
import { digest, findAppByClientKey } from '@parley/db/apps'
import type { Db } from '@parley/db/connect'
import { gather } from '@parley/db/gather'
import { findHolders, findLivingTokens, findToken, type TokenDoc } from '@parley/db/tokens'
import { LRUCache } from 'lru-cache'

const tokensAtOnce = 5_000
/** Logins in one query: what comes back is worked on without a pause, and so long others wait. */
const loginsAtOnce = 25

/** An end user, known by a token. */
export interface UserCaller {
  app: string
  user: string
  /** Digest of the token: names it in revocations and rate limits. */
  token: string
  expiresAt: Date
}

export interface UserCredentials {
  clientKey: string | undefined
  token: string | undefined
  /** IM-CLIENT-ID, where it is sent: must be the token's user. */
  clientID?: string | undefined
}

/**
 * Makes the function that knows users by client key and token (interface.md, "Authentication" 2 and 3).
 * Only the app's client key is remembered, for a minute; a token is looked up each time, so that a
 * revocation holds at once. The function throws ApiError INVALID_CLIENT_KEY, INVALID_TOKEN.
 */
export function createUserAuthentication(db: Db): (credentials: UserCredentials) => Promise<UserCaller> {
  const appOf = createAppLookup(db)
  return async ({ clientKey, token, clientID }) => {
    if (clientKey === undefined || clientKey === '') {
      throw new ApiError('INVALID_CLIENT_KEY', 'header IM-CLIENT-KEY is missing')
    }
    const app = await appOf(clientKey)
    if (app === undefined) throw new ApiError('INVALID_CLIENT_KEY', 'header IM-CLIENT-KEY holds no known client key')
    if (token === undefined || token === '') throw new ApiError('INVALID_TOKEN', 'header IM-Authorization is missing')
    const held = await findToken(db, app, digest(token))
    if (!held) throw new ApiError('INVALID_TOKEN', 'the token is invalid or expired')
    if (clientID !== undefined && clientID !== held.user) {
      throw new ApiError('INVALID_TOKEN', 'header IM-CLIENT-ID is not the user of the token')
    }
    return toCaller(held)
  }
}

/** Knows the user of a token that comes by a socket. */
export type AuthenticateSocket = (token: string, clientKey?: string) => Promise<UserCaller>

/**
 * Like `createUserAuthentication`, but the client key may be left out: then the token alone must say which app it is of
 * (decisions.md, "The socket"). Those who come at the same time share one query. The function throws ApiError
 * INVALID_CLIENT_KEY, INVALID_TOKEN.
 */
export function createSocketAuthentication(db: Db): AuthenticateSocket {
  const appOf = createAppLookup(db)
  const holdersOf = gather(
    async (digests: string[]) => {
      const holders = Map.groupBy(await findHolders(db, digests), (held) => held.digest)
      return digests.map((tokenDigest) => holders.get(tokenDigest) ?? [])
    },
    { most: loginsAtOnce },
  )
  return async (token, clientKey) => {
    const app = clientKey === undefined ? undefined : await appOf(clientKey)
    if (clientKey !== undefined && app === undefined) {
      throw new ApiError('INVALID_CLIENT_KEY', 'clientKey is not known')
    }
    const holders = await holdersOf(digest(token))
    const [held, another] = app === undefined ? holders : holders.filter((holder) => holder.app === app)
    if (!held) throw new ApiError('INVALID_TOKEN', 'the token is invalid or expired')
    if (another) throw new ApiError('INVALID_TOKEN', 'the token is held in several apps: give the clientKey too')
    return toCaller(held)
  }
}

/** Finds the app of a client key, and remembers it for a minute. */
function createAppLookup(db: Db): (clientKey: string) => Promise<string | undefined> {
  const apps = new LRUCache<string, string>({ max: 10_000, ttl: 60_000 })
  return async (clientKey) => {
    const known = apps.get(clientKey)
    if (known !== undefined) return known
    const app = await findAppByClientKey(db, clientKey)
    if (app) apps.set(clientKey, app._id)
    return app?._id
  }
}

/** Which of these tokens (digests) still stand for their users. */
export async function livingTokens(db: Db, held: readonly { app: string; token: string }[]): Promise<Set<string>> {
  const living = new Set<string>()
  for (let i = 0; i < held.length; i += tokensAtOnce) {
    for (const token of await findLivingTokens(db, held.slice(i, i + tokensAtOnce))) living.add(token)
  }
  return living
}

function toCaller(held: TokenDoc): UserCaller {
  return { app: held.app, user: held.user, token: held.digest, expiresAt: held.expiresAt }
}
