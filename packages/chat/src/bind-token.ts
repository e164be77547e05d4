import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { bindToken as operation } from '@parley/contracts/operations/tokens'
import { digest } from '@parley/db/apps'
import { replaceTokens } from '@parley/db/tokens'
import { inTransaction } from '@parley/db/transaction'
import { findUser } from '@parley/db/users'
import type { Chat } from './chat.ts'
import { controlRevoked } from './control-users.ts'
import { unknownClient } from './revoke-tokens.ts'

/**
 * Makes a token of the integrator's the only one of a user (decisions.md, "Users").
 * @throws ApiError CLIENT_NOT_FOUND, INVALID_REQUEST when another user holds it
 */
export async function bindToken(
  chat: Chat,
  app: string,
  user: string,
  { token, expirationDate }: Input<typeof operation>['body'],
): Promise<Result<typeof operation>> {
  const expiresAt = new Date(expirationDate)
  const ended = await inTransaction(chat.db, async (session) => {
    if (!(await findUser(chat.db, app, user, session))) throw unknownClient(user)
    const replaced = await replaceTokens(chat.db, { app, user }, digest(token), expiresAt, session)
    if (replaced === 'held by another user') {
      throw new ApiError('INVALID_REQUEST', 'token: another user of the app holds this token')
    }
    return replaced.ended
  })
  await controlRevoked(chat, app, user, ended)
  return { _id: user, token, expirationDate: expiresAt.toISOString() }
}
