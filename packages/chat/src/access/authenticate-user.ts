import { ApiError } from '@parley/contracts/errors'
import { digest, findAppByClientKey } from '@parley/db/apps/apps'
import type { Db } from '@parley/db/connect'
import type { TokenDoc } from '@parley/db/users/documents'
import { LRUCache } from 'lru-cache'
import { admitLogin, type LoginParts } from './admit-login.ts'
import type { AuthenticatedUser } from './caller.ts'
import type { FindToken } from './token-cache.ts'

export interface UserCredentials {
  clientKey: string | undefined
  token: string | undefined
}

/**
 * Returns a function that finds users by client key and token (docs/reference/README.md#authentication). The app of a
 * client key is cached for a minute. A token is cached only while its revocation is certain to arrive (token-cache.ts).
 * The function throws ApiError INVALID_CLIENT_KEY, INVALID_TOKEN.
 */
export function createUserAuthentication(
  chat: LoginParts,
  findToken: FindToken,
): (credentials: UserCredentials) => Promise<AuthenticatedUser> {
  const appOf = createAppLookup(chat.db)
  return async ({ clientKey, token }) => {
    if (clientKey === undefined || clientKey === '') throw new ApiError('INVALID_CLIENT_KEY', 'missing')
    const app = await appOf(clientKey)
    if (app === undefined) throw new ApiError('INVALID_CLIENT_KEY', 'not a known client key')
    if (token === undefined || token === '') throw new ApiError('INVALID_TOKEN', 'missing')
    return toCaller(chat, (await findToken(app, digest(token))) ?? (await admitLogin(chat, app, token)))
  }
}

/** @throws ApiError INVALID_TOKEN if there is no such token, or its issuer was removed */
export async function toCaller({ issuers }: LoginParts, held: TokenDoc | undefined): Promise<AuthenticatedUser> {
  if (!held || !(await issuers.isTrusted(held))) {
    throw new ApiError('INVALID_TOKEN', 'the token is invalid or expired')
  }
  const { app, user, digest: tokenDigest, expiresAt, login } = held
  return { kind: 'user', app, user, tokenDigest, expiresAt, isOwnLogin: login !== undefined }
}

/** The app of a client key. */
export const createAppLookup = (db: Db) =>
  cachedForMinute(async (clientKey) => (await findAppByClientKey(db, clientKey))?._id)

/** Caches each text that `find` finds. */
export function cachedForMinute(
  find: (key: string) => Promise<string | undefined>,
): (key: string) => Promise<string | undefined> {
  const found = new LRUCache<string, string>({ max: 10_000, ttl: 60_000 })
  return async (key) => {
    const known = found.get(key) ?? (await find(key))
    if (known !== undefined && !found.has(key)) found.set(key, known)
    return known
  }
}
