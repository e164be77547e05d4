import { ApiError } from '@parley/contracts/errors'
import type { Result } from '@parley/contracts/operation'
import type { renewToken as operation } from '@parley/contracts/operations/tokens'
import { digest } from '@parley/db/apps'
import { exchangeToken } from '@parley/db/tokens'
import { inTransaction } from '@parley/db/transaction'
import type { UserCaller } from './authenticate-user.ts'
import type { Chat } from './chat.ts'
import { controlRevoked } from './control-users.ts'
import { defaultExpiry, newToken } from './new-token.ts'

/**
 * A fresh token for the caller; the one he called with ends (decisions.md, "Apps and keys").
 * @throws ApiError INVALID_TOKEN when it ended meanwhile
 */
export async function renewToken(chat: Chat, caller: UserCaller): Promise<Result<typeof operation>> {
  const token = newToken()
  const expiresAt = defaultExpiry(chat)
  const tokens = { before: caller.token, after: digest(token) }
  const exchanged = await inTransaction(chat.db, (session) =>
    exchangeToken(chat.db, caller, tokens, expiresAt, session),
  )
  if (!exchanged) throw new ApiError('INVALID_TOKEN', 'the token is invalid or expired')
  await controlRevoked(chat, caller.app, caller.user, [caller.token])
  return { token, expirationDate: expiresAt.toISOString() }
}
