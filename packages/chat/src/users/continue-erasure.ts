import { clock, dayMS } from '@parley/async/clock'
import { inParts } from '@parley/async/in-parts'
import { purgeUser } from '@parley/bus/stream/erase-from-stream'
import { insertAuditEntries } from '@parley/db/audit/audit-log'
import type { Session } from '@parley/db/connect'
import type { JobDoc } from '@parley/db/documents'
import { forgetPublishedOf } from '@parley/db/events/outbox-store'
import { disownFiles } from '@parley/db/files/attached'
import { removeFilesOf } from '@parley/db/files/files-to-clear'
import { findHeldRooms } from '@parley/db/holds/holds'
import { advanceJob, findErased, JobTaken } from '@parley/db/jobs'
import { key } from '@parley/db/keys'
import { removeSavedOf } from '@parley/db/messages/saved-messages'
import { deleteScheduledOf } from '@parley/db/messages/scheduled'
import { removeUserDeletions } from '@parley/db/messages/user-deletions'
import { forgetReporter } from '@parley/db/moderation/reports'
import { forgetAnswersOfRoom } from '@parley/db/push/call-history'
import { forgetPushes } from '@parley/db/push/forget-pushes'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { removeFromRooms } from '@parley/db/rooms/remove-members'
import { findRoomIdsOfUser } from '@parley/db/rooms/rooms-of-users'
import { leaveThreads } from '@parley/db/threads/thread-members'
import { inTransaction } from '@parley/db/transactions/transaction'
import { unsetErasing } from '@parley/db/users/app-bans'
import { asIntegrator } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { type Committed, changeAndNotify, publishRoom } from '../events/change-and-notify.ts'
import { membersChanged, notifyFeed, type PendingEvents } from '../events/event-builders.ts'
import { roomOrderingKey, userOrderingKey } from '../events/ordering-keys.ts'
import { noEntries } from '../events/outbox.ts'
import { type ContentErasure, eraseContent } from './erase-content.ts'

/** Rooms per transaction. Few, because other changes of these rooms wait for it. */
const roomsAtOnce = 50

/**
 * Removes an erased user from all rooms and from the push records, as a job of this process. Returns whether it is
 * finished.
 * @throws JobTaken
 */
export async function continueErasure(chat: Chat, job: JobDoc): Promise<boolean> {
  const { app, user, owed } = job
  if (user === undefined) return true
  if (owed) return eraseWithProof(chat, job, user)
  await forgetReporter(chat.db, app, user)
  await deleteScheduledOf(chat.db, app, user)
  await removeSavedOf(chat.db, { app, user })
  await disownFiles(chat.db, app, user, await findHeldRooms(chat.db, app))
  await removeFilesOf(chat.db, app, user)
  let { done } = job
  for (let rooms = await findRoomIdsOfUser(chat.db, app, user); rooms.length > 0; ) {
    for (const part of inParts(rooms, roomsAtOnce)) {
      if (chat.jobs.signal.aborted) return false
      done += await leaveTogetherOrEach(chat, { ...job, done }, user, part)
    }
    rooms = await findRoomIdsOfUser(chat.db, app, user)
  }
  await purgeUser(chat.bus, { app, user })
  if (!(await eraseWithProof(chat, job, user))) return false
  // Again: a gateway can have died between a report and its look at whether the user is still there.
  await forgetReporter(chat.db, app, user)
  await unsetErasing(chat.db, { app, id: user })
  await leaveThreads(chat.db, app, user)
  await forgetPublishedOf(chat.db, { app, user })
  const { signal } = chat.jobs
  // These deletions would apply to a later user with the same ID.
  return (await removeUserDeletions(chat.db, app, user, signal)) && forgetPushes(chat.db, app, user, signal)
}

/** Leaves rooms together or, if that fails, for example because one is busy, one by one. */
async function leaveTogetherOrEach(chat: Chat, job: JobDoc, user: string, ids: readonly string[]): Promise<number> {
  try {
    return await leaveRooms(chat, job, user, ids)
  } catch (error) {
    if (error instanceof JobTaken || ids.length === 1) throw error
    chat.log.warn({ err: error, job: job.id }, 'rooms not left together; leaving them one by one')
  }
  let left = 0
  for (const id of ids) left += await leaveRooms(chat, { ...job, done: job.done + left }, user, [id])
  return left
}

/** Leaves some rooms and records the progress in one transaction, and publishes the events. Returns their number. */
async function leaveRooms(chat: Chat, job: JobDoc, user: string, ids: readonly string[]): Promise<number> {
  const [first] = ids
  const alone = ids.length === 1 && first !== undefined && { lock: roomOrderingKey(job.app, first) }
  for (const room of ids) await forgetAnswersOfRoom(chat.db, { app: job.app, room }, { client: user })
  const left = await inTransaction(chat.db, (session) => leaveIn(chat, job, user, ids, session), { ...alone })
  await Promise.all(left.map((one) => publishRoom(chat, asIntegrator(job.app), one)))
  return left.length
}

async function leaveIn(
  chat: Chat,
  job: JobDoc,
  user: string,
  ids: readonly string[],
  session: Session,
): Promise<Committed<RoomDoc>[]> {
  const { app } = job
  const rooms = await removeFromRooms(chat.db, { app, user }, ids, session)
  await advanceJob(chat.db, job, rooms.length, { session })
  const changes = rooms.map((room) => {
    const events: PendingEvents = []
    membersChanged(events, room, { event: 'DELETE_MEMBERS', sender: undefined, members: [user] })
    return { orderingKey: roomOrderingKey(app, room.id), events }
  })
  const entries = await chat.outbox.add(changes, session)
  return rooms.map((value, i) => ({ value, entries: entries[i] ?? noEntries }))
}

/** Erases the user's content if the job includes it. Returns whether it is finished. */
async function eraseWithProof(chat: Chat, job: JobDoc, user: string): Promise<boolean> {
  if (job.content === undefined) return true
  const erasure = { ...job, user, content: job.content }
  const isFinished = await eraseContent(chat, erasure)
  if (isFinished) await proveErasure(chat, erasure)
  return isFinished
}

/** Records how much of an erased user's content was removed, in the audit log and the feed, once per job. */
async function proveErasure(chat: Chat, job: ContentErasure): Promise<void> {
  const { db } = chat
  const { app, id, user, content } = job
  await changeAndNotify(chat, userOrderingKey({ app, user }), async (session, pending) => {
    if (await db.audit.findOne({ _id: key(app, id) }, { session, projection: { _id: 1 } })) return
    const { messages = 0, spared = [] } = (await findErased(db, job, session)) ?? {}
    const erased = { content, messages, sparedRooms: spared.length }
    const atMS = clock.now()
    const proof = {
      ...{ _id: key(app, id), app, id, atMS, actor: `job:${id}`, action: 'eraseUser', subject: `user:${user}` },
      ...{ after: JSON.stringify({ erased }), expiresAt: new Date(atMS + chat.settings.auditDays * dayMS) },
    }
    await insertAuditEntries(db, [proof], session)
    notifyFeed(pending, { app, user }, 'contentErased', { _id: user, ...erased })
  })
}
