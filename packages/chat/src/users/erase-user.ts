import { publishPresenceEvent } from '@parley/bus/events/presence-events'
import { ApiError } from '@parley/contracts/errors'
import type { ErasedAs } from '@parley/contracts/operations/users/users'
import { configMarkKey } from '@parley/db/apps/config-mark'
import type { Session } from '@parley/db/connect'
import type { JobDoc } from '@parley/db/documents'
import { findHeld } from '@parley/db/holds/holds'
import { findErasures, insertJob } from '@parley/db/jobs'
import { key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import { deleteInvitationsOf } from '@parley/db/rooms/invitations'
import { findRoomIdsOfUser } from '@parley/db/rooms/rooms-of-users'
import { removeAppBan, setErasing } from '@parley/db/users/app-bans'
import { deleteBlocksBy } from '@parley/db/users/blocks'
import { deleteDevices } from '@parley/db/users/devices'
import { newLoginMark } from '@parley/db/users/login-marks'
import { deletePrefsOfUser } from '@parley/db/users/prefs'
import { forgetTokens, putMark } from '@parley/db/users/tokens'
import { deleteUserDoc, findUser } from '@parley/db/users/users'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { addCommand, notifyFeed, type PendingEvents, tokensRevoked } from '../events/event-builders.ts'
import { userOrderingKey } from '../events/ordering-keys.ts'
import { Accepted, isOverSoon, workOnJob } from '../jobs/work-on-job.ts'
import { continueErasure } from './continue-erasure.ts'
import { unknownUser } from './user-errors.ts'

/**
 * Erases a user: profile, tokens, sockets, devices, preferences and personal blocks are removed at once, and a job
 * removes the user from all rooms, even if a process dies meanwhile (docs/reference/users.md). Messages keep the user's
 * ID; `content` decides what else is kept of them. The ID stays taken until the job is done, and erasing again returns
 * the same job.
 * @throws ApiError CLIENT_NOT_FOUND, UNDER_HOLD
 */
export async function eraseUser(
  chat: Chat,
  app: string,
  user: string,
  content: ErasedAs = 'keep',
): Promise<Record<string, never> | Accepted> {
  const begin = async (session: Session, pending: PendingEvents) => {
    if (!(await findUser(chat.db, app, user, session))) {
      const job = (await findErasures(chat.db, [key(app, user)])).get(key(app, user))
      if (job === undefined) throw unknownUser('client_id', user)
      return job
    }
    const held = await findHeld(chat.db, app, { users: [user] }, session)
    if (held.users.has(user))
      throw new ApiError('UNDER_HOLD', 'client_id: the user is under a legal hold; lift it first')
    const ended = await forgetTokens(chat.db, app, user, session)
    // Otherwise the issuer's token on the user's phone would create the user again.
    await putMark(chat.db, newLoginMark({ app, user }, 'all'), session)
    tokensRevoked(pending, { app, user }, ended)
    addCommand(pending, app, { do: 'profileChanged', user })
    notifyFeed(pending, { app, user }, 'userDeleted', { _id: user })
    return eraseProfile(chat, { app, user, content }, session)
  }
  // All erasures of users in rooms write the mark of the app's configuration, so they queue on it.
  const begun = await changeAndNotify(chat, userOrderingKey({ app, user }), begin, configMarkKey(app))
  publishPresenceEvent(chat.bus, { app, user }, 'rights')
  if (typeof begun === 'string') return new Accepted({ job: begun })
  const leaving = workOnJob(chat, begun, () => continueErasure(chat, begun))
  const isDone = (await isOverSoon(leaving, chat.jobs.afterMS)) && (await leaving)
  return isDone ? {} : new Accepted({ job: begun.id })
}

/** Deletes the user's own data, and records the rooms to leave, to which nothing more is sent on their behalf. */
async function eraseProfile(
  chat: Chat,
  { app, user, content }: { app: string; user: string; content: ErasedAs },
  session: Session,
): Promise<JobDoc> {
  const { db, jobs } = chat
  await deleteDevices(db, app, user, 'all', session)
  await deletePrefsOfUser(db, app, user, session)
  await deleteInvitationsOf(db, app, user, session)
  await deleteBlocksBy(db, app, user, session)
  await removeAppBan(db, { app, id: user }, session)
  await deleteUserDoc(db, app, user, session)
  const total = (await findRoomIdsOfUser(db, app, user)).length
  if (total > 0) await setErasing(db, { app, id: user }, session)
  const erasing = { user, erasing: key(app, user), ...(content !== 'keep' && { content }) }
  const id = newId()
  if (content !== 'keep') chat.audit?.addDetails({ after: { content, job: id } })
  return insertJob(db, { app, id, kind: 'erasure', total, done: 0, ...erasing }, jobs.worker, { session })
}
