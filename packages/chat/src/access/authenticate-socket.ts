import { batched } from '@parley/async/batch'
import { ApiError } from '@parley/contracts/errors'
import { digest, findApp } from '@parley/db/apps/apps'
import { findHolders } from '@parley/db/users/tokens'
import { admitLogin, type LoginParts } from './admit-login.ts'
import { cachedForMinute, createAppLookup, toCaller } from './authenticate-user.ts'
import type { AuthenticatedUser } from './caller.ts'

/** Logins per query. Its result is handled in one turn, which blocks the event loop. */
const loginsAtOnce = 50

export type AuthenticatedSocket = AuthenticatedUser & { clientKey: string }

export type AuthenticateSocket = (token: string, clientKey?: string) => Promise<AuthenticatedSocket>

/**
 * Like `createUserAuthentication`, but with an optional client key: without it, the token alone must identify the app
 * (docs/reference/socket.md#authenticate). Concurrent logins share one query. The function throws ApiError
 * INVALID_CLIENT_KEY, INVALID_TOKEN.
 */
export function createSocketAuthentication(chat: LoginParts): AuthenticateSocket {
  const { db } = chat
  const appOf = createAppLookup(db)
  const clientKeyOf = cachedForMinute(async (app) => (await findApp(db, app))?.clientKey)
  const holdersOf = batched(
    async (digests: string[]) => {
      const holders = Map.groupBy(await findHolders(db, digests), (held) => held.digest)
      return digests.map((tokenDigest) => holders.get(tokenDigest) ?? [])
    },
    { max: loginsAtOnce },
  )
  return async (token, clientKey) => {
    const app = clientKey === undefined ? undefined : await appOf(clientKey)
    if (clientKey !== undefined && app === undefined) {
      throw new ApiError('INVALID_CLIENT_KEY', 'clientKey is not known')
    }
    const holders = await holdersOf(digest(token))
    const [known, another] = app === undefined ? holders : holders.filter((holder) => holder.app === app)
    if (another) throw new ApiError('INVALID_CLIENT_KEY', 'clientKey is required: the token is held in several apps')
    const held = known ?? (app === undefined ? undefined : await admitLogin(chat, app, token))
    const caller = await toCaller(chat, held)
    const key = clientKey ?? (await clientKeyOf(caller.app))
    if (key === undefined) throw new ApiError('INVALID_TOKEN', 'the token is invalid or expired')
    return { ...caller, clientKey: key }
  }
}
