import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { bindToken as operation } from '@parley/contracts/operations/access/tokens'
import { banInForce } from '@parley/db/users/app-bans'
import { lockUser } from '@parley/db/users/lock-user'
import { replaceTokens } from '@parley/db/users/tokens'
import { tokensInAudit } from '../audit/recorder.ts'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { tokensRevoked } from '../events/event-builders.ts'
import { userOrderingKey } from '../events/ordering-keys.ts'
import { bannedFromApp, unknownUser } from '../users/user-errors.ts'
import { boundToken, expiryFrom } from './new-token.ts'

/**
 * Makes a token supplied by the integrator the only one of a user
 * (docs/reference/users.md#create-update-issue-a-token).
 * @throws ApiError CLIENT_NOT_FOUND, USER_BANNED, INVALID_REQUEST if another user holds it or its expiry is past
 */
export async function bindToken(
  chat: Chat,
  app: string,
  user: string,
  { token, expirationDate }: Input<typeof operation>['body'],
): Promise<Result<typeof operation>> {
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
