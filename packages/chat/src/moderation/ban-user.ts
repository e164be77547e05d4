import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { AdminUser } from '@parley/contracts/resources/user'
import type { Session } from '@parley/db/connect'
import { banInForce, removeAppBan, setAppBan } from '@parley/db/users/app-bans'
import type { UserDoc } from '@parley/db/users/documents'
import { findUser } from '@parley/db/users/users'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { type PendingEvents, profileChanged, tokensRevoked } from '../events/event-builders.ts'
import { userOrderingKey } from '../events/ordering-keys.ts'
import { unknownUser } from '../users/user-errors.ts'
import { toAdminUserView } from '../views/user.ts'
import { requireFuture } from './ban-member.ts'

/**
 * Bans a user from the app: their tokens are revoked and their sockets closed, they get no new tokens, and nothing is
 * sent on their behalf until the ban ends or is lifted. They stay in their rooms
 * (docs/reference/moderation.md#bans-from-the-app). Banning again changes the end.
 * @throws ApiError CLIENT_NOT_FOUND, INVALID_REQUEST
 */
export async function banUser(chat: Chat, app: string, user: string, untilMS?: number): Promise<AdminUser> {
  requireFuture(untilMS)
  const ban = { atMS: clock.now(), ...(untilMS !== undefined && { untilMS }) }
  return change(chat, app, user, async (found, session, pending) => {
    chat.audit?.addDetails({ before: { ban: found.ban ?? null }, after: { ban } })
    const { banned, ended } = await setAppBan(chat.db, found, ban, session)
    tokensRevoked(pending, { app, user }, ended, { because: 'banned' })
    return banned
  })
}

/** @throws ApiError CLIENT_NOT_FOUND, BLOCK_NOT_FOUND */
export async function unbanUser(chat: Chat, app: string, user: string): Promise<AdminUser> {
  return change(chat, app, user, async (found, session) => {
    const { ban: _ban, ...rest } = found
    if (!banInForce(found)) throw new ApiError('BLOCK_NOT_FOUND', `${JSON.stringify(user)} is not banned from the app`)
    chat.audit?.addDetails({ before: { ban: found.ban } })
    await removeAppBan(chat.db, found, session)
    return rest
  })
}

async function change(
  chat: Chat,
  app: string,
  user: string,
  work: (found: UserDoc, session: Session, pending: PendingEvents) => Promise<UserDoc>,
): Promise<AdminUser> {
  const changed = await changeAndNotify(chat, userOrderingKey({ app, user }), async (session, pending) => {
    const found = await findUser(chat.db, app, user, session)
    if (!found) throw unknownUser('client_id', user)
    const after = await work(found, session, pending)
    profileChanged(pending, after)
    return after
  })
  return toAdminUserView(chat.db, changed)
}
