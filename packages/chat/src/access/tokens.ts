import { clock } from '@parley/async/clock'
import { inParts } from '@parley/async/in-parts'
import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type * as operations from '@parley/contracts/operations/access/tokens'
import { maxTokensOfUser } from '@parley/contracts/resources/user-token'
import { digest } from '@parley/db/apps/apps'
import { banInForce } from '@parley/db/users/app-bans'
import type { TokenDoc } from '@parley/db/users/documents'
import { lockUser } from '@parley/db/users/lock-user'
import { type LoginMark, newLoginMark } from '@parley/db/users/login-marks'
import {
  deleteTokens,
  exchangeToken,
  findActiveTokens,
  findActiveTokensOfUser,
  putMark,
  replaceTokens,
  type WhichTokens,
} from '@parley/db/users/tokens'
import { findUser } from '@parley/db/users/users'
import { tokensInAudit } from '../audit/recorder.ts'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { tokensRevoked } from '../events/event-builders.ts'
import { userOrderingKey } from '../events/ordering-keys.ts'
import { bannedFromApp, unknownUser } from '../users/user-errors.ts'
import type { AuthenticatedUser } from './caller.ts'
import { boundToken, defaultExpiry, expiryFrom, keyFingerprint, newToken } from './new-token.ts'

/**
 * The active tokens of a user, latest first (docs/reference/users.md#tokens-of-a-user).
 * @throws ApiError CLIENT_NOT_FOUND
 */
export async function listTokens(
  { db, issuers }: Pick<Chat, 'db' | 'issuers'>,
  app: string,
  user: string,
): Promise<Result<typeof operations.listTokens>> {
  if (!(await findUser(db, app, user))) throw unknownUser('client_id', user)
  return { data: (await activeTokensOf({ db, issuers }, { app, user })).map((token) => tokenView(token)) }
}

/** The caller's own tokens, with the one of this request marked. */
export async function listMyTokens(
  chat: Pick<Chat, 'db' | 'issuers'>,
  caller: AuthenticatedUser,
): Promise<Result<typeof operations.listTokens>> {
  const found = await activeTokensOf(chat, caller)
  return { data: found.map((token) => tokenView(token, { isCurrent: token.digest === caller.tokenDigest })) }
}

/** A token as shown in lists, identified by its fingerprint. */
export function tokenView(
  { digest, device, login, createdAt, expiresAt, lastUsedAt }: TokenDoc,
  more: { isCurrent?: boolean } = {},
) {
  return {
    id: keyFingerprint(digest),
    ...(device !== undefined && { deviceId: device }),
    isOwnLogin: login !== undefined,
    ...(login?.jti !== undefined && { jti: login.jti }),
    createdAt: createdAt.toISOString(),
    expirationDate: expiresAt.toISOString(),
    ...(lastUsedAt && { lastUsedTime: lastUsedAt.toISOString() }),
    ...more,
  }
}

/**
 * Makes a token supplied by the integrator the only one of a user
 * (docs/reference/users.md#create-update-issue-a-token).
 * @throws ApiError CLIENT_NOT_FOUND, USER_BANNED, INVALID_REQUEST if another user holds it or its expiry is past
 */
export async function bindToken(
  chat: Chat,
  app: string,
  user: string,
  { token, expirationDate }: Input<typeof operations.bindToken>['body'],
): Promise<Result<typeof operations.bindToken>> {
  const expiresAt = expiryFrom('expirationDate', expirationDate)
  await changeAndNotify(chat, userOrderingKey({ app, user }), async (session, pending) => {
    const found = await lockUser(chat.db, app, user, session)
    if (!found) throw unknownUser('client_id', user)
    if (banInForce(found)) throw bannedFromApp(user)
    const replaced = await replaceTokens(chat.db, { app, user }, { ...boundToken(token), expiresAt }, session)
    if (replaced === 'held by another user') {
      throw new ApiError('INVALID_REQUEST', 'token: another user of the app holds this token')
    }
    const after = { token: 'replaced', expirationDate: expiresAt.toISOString() }
    chat.audit?.addDetails({ before: tokensInAudit(replaced.ended), after })
    tokensRevoked(pending, { app, user }, replaced.ended)
  })
  return { _id: user, token, expirationDate: expiresAt.toISOString() }
}

/**
 * Issues a new token to the caller and revokes the one used. Sockets of the old token continue under the new one
 * (docs/reference/users.md#as-the-user).
 * @throws ApiError INVALID_TOKEN if it was revoked meanwhile; PERMISSION_DENIED for a token of the app's own login
 */
export async function renewToken(chat: Chat, caller: AuthenticatedUser): Promise<Result<typeof operations.renewToken>> {
  if (caller.isOwnLogin) {
    // A Parley token would outlive the lifetime that the issuer allows.
    throw new ApiError('PERMISSION_DENIED', 'the token comes from your own login: get the next one from its issuer')
  }
  const token = newToken()
  const expiresAt = defaultExpiry(chat.settings)
  const tokens = { before: caller.tokenDigest, after: digest(token) }
  const renewedBy = { token: tokens.after, expiresAtMS: expiresAt.getTime() }
  const exchanged = await changeAndNotify(chat, userOrderingKey(caller), async (session, pending) => {
    const isDone = await exchangeToken(chat.db, caller, tokens, expiresAt, session)
    if (isDone) tokensRevoked(pending, caller, [caller.tokenDigest], { renewedBy })
    return isDone
  })
  if (!exchanged) throw new ApiError('INVALID_TOKEN', 'the token is invalid or expired')
  return { token, expirationDate: expiresAt.toISOString() }
}

/**
 * Revokes tokens of a user and disconnects their sockets on every node (docs/reference/users.md#revoke-tokens). For the
 * app's own login, this includes tokens issued until now that have not been presented yet.
 * @throws ApiError CLIENT_NOT_FOUND, TOKEN_NOT_FOUND
 */
export async function revokeTokens(
  chat: Chat,
  app: string,
  user: string,
  { token, jti, deviceId }: Input<typeof operations.revokeTokens>['body'],
): Promise<Result<typeof operations.revokeTokens>> {
  if ([token, jti, deviceId].filter((one) => one !== undefined).length > 1) {
    throw new ApiError('INVALID_REQUEST', 'token, jti, deviceId: expected at most one of them')
  }
  const mark: LoginMark = jti !== undefined ? { jti } : deviceId !== undefined ? { device: deviceId } : 'all'
  const of = { app, user }
  const active =
    token === undefined
      ? await endTokensOf(chat, of, mark, mark)
      : await endTokensOf(chat, of, { digest: digest(token) })
  if (token !== undefined && active === 0) {
    throw new ApiError('TOKEN_NOT_FOUND', 'token: the client does not hold this token')
  }
  const message = active === 1 ? 'The token is revoked' : `${active} tokens are revoked`
  return { success: true, message, revokedTokens: active }
}

/**
 * Revokes one token of a user by its ID in lists (docs/reference/users.md#tokens-of-a-user).
 * @throws ApiError CLIENT_NOT_FOUND, TOKEN_NOT_FOUND
 */
export async function endToken(
  chat: Chat,
  of: { app: string; user: string },
  id: string,
): Promise<Record<string, never>> {
  const active = await endTokensOf(chat, of, { fingerprint: id })
  if (active === 0) throw new ApiError('TOKEN_NOT_FOUND', `id: no token ${JSON.stringify(id)} in force`)
  return {}
}

/** @returns the number of revoked tokens that were valid */
async function endTokensOf(
  chat: Chat,
  of: { app: string; user: string },
  which: WhichTokens,
  mark?: LoginMark,
): Promise<number> {
  const { app, user } = of
  return changeAndNotify(chat, userOrderingKey(of), async (session, pending) => {
    // A concurrent first login either commits before this, or is refused after it.
    if (!(await lockUser(chat.db, app, user, session))) throw unknownUser('client_id', user)
    const deleted = await deleteTokens(chat.db, app, user, which, session)
    if (mark) await putMark(chat.db, newLoginMark(of, mark), session)
    // Includes expired tokens: a token rebound with an earlier expiry may still have a socket.
    tokensRevoked(pending, of, deleted.ended)
    chat.audit?.addDetails({ before: tokensInAudit(deleted.ended), after: { revokedTokens: deleted.active } })
    return deleted.active
  })
}

const tokensAtOnce = 5_000

/** The tokens of configured issuers that are neither expired nor revoked, with their expiry. */
export async function activeTokens<T extends { app: string; user: string; tokenDigest: string }>(
  { db, issuers }: Pick<Chat, 'db' | 'issuers'>,
  held: readonly T[],
): Promise<Map<T, Date>> {
  const active = new Map<T, Date>()
  for (const part of inParts(held, tokensAtOnce)) {
    for (const [one, token] of await findActiveTokens(db, part)) {
      if (await issuers.isTrusted(token)) active.set(one, token.expiresAt)
    }
  }
  return active
}

export async function activeTokensOf(
  { db, issuers }: Pick<Chat, 'db' | 'issuers'>,
  of: { app: string; user: string },
): Promise<TokenDoc[]> {
  const found = await findActiveTokensOfUser(db, of, clock.date(), maxTokensOfUser)
  const areTrusted = await Promise.all(found.map((token) => issuers.isTrusted(token)))
  return found.filter((_, i) => areTrusted[i])
}
