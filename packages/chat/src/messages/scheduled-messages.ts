import { clock } from '@parley/async/clock'
import { defined } from '@parley/contracts/defined'
import { ApiError } from '@parley/contracts/errors'
import { readJson } from '@parley/contracts/free-json'
import type { Input, Result } from '@parley/contracts/operation'
import type {
  changeScheduled as changeScheduledOperation,
  listScheduled as listScheduledOperation,
  scheduleMessage as scheduleMessageOperation,
} from '@parley/contracts/operations/messages/scheduled'
import type { ScheduledMessage } from '@parley/contracts/resources/scheduled-message'
import type { Session } from '@parley/db/connect'
import { releaseFiles } from '@parley/db/files/files'
import { key } from '@parley/db/keys'
import type { ScheduledDoc } from '@parley/db/messages/documents'
import { newId } from '@parley/db/messages/messages'
import * as scheduled from '@parley/db/messages/scheduled'
import { countScheduled, findScheduledPage, insertScheduled, scheduledIdOf } from '@parley/db/messages/scheduled'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import { ContentionTimeout } from '@parley/db/transactions/locks'
import { inTransaction } from '@parley/db/transactions/transaction'
import { banInForce } from '@parley/db/users/app-bans'
import { findUser } from '@parley/db/users/users'
import { asUser, type Caller, userOf } from '../access/caller.ts'
import { requireMember } from '../access/require-member.ts'
import { type AuditDetails, changedFields } from '../audit/recorder.ts'
import type { Chat } from '../chat.ts'
import { attachFiles } from '../files/attach-files.ts'
import { announceDue } from '../jobs/run-workers.ts'
import { parseCursor, toPage } from '../page-cursor.ts'
import { requireRoomMention } from '../push/mentions.ts'
import { requireWithinYear } from '../read-time.ts'
import { requireReply } from '../threads/thread.ts'
import { bannedFromApp, unknownUser } from '../users/user-errors.ts'
import { contentOf } from './draft.ts'

/** Per sender. */
export const maxScheduled = 1_000

/**
 * Stores a scheduled message (docs/reference/messages.md#send-later), which send-scheduled.ts sends.
 * @param idempotencyKey a repeat with the same key returns the first message
 * @throws ApiError INVALID_REQUEST, MISSING_PARAMETER, MESSAGE_TOO_LARGE, ROOM_NOT_FOUND, CLIENT_NOT_FOUND,
 * NOT_ROOM_MEMBER, USER_BLOCKED, USER_BANNED, FILE_NOT_FOUND, TOO_MANY_SCHEDULED
 */
export async function scheduleMessage(
  chat: Chat,
  by: Caller,
  given: Input<typeof scheduleMessageOperation>['body'],
  idempotencyKey = given.clientMessageID,
): Promise<ScheduledMessage> {
  const { db } = chat
  const { app } = by
  const { message, sender: named, skipTotalBadge, attachments: wanted, ...rest } = given
  const { room, sendAtMS, replyTo, thread, mentions } = rest
  const sender = userOf(by) ?? named
  if (sender === undefined) throw new ApiError('MISSING_PARAMETER', 'sender is required')
  if (sender !== (named ?? sender)) throw new ApiError('INVALID_REQUEST', 'sender: must be the caller')
  const idByKey = idempotencyKey === undefined ? undefined : scheduledIdOf({ app, room, sender }, idempotencyKey)
  // Precedes the checks: since the first call, the time may have passed, the files may be gone, or the limit may be
  // reached.
  const earlier = idByKey !== undefined && (await scheduled.findScheduled(db, app, idByKey))
  if (earlier) return toScheduledView(earlier)
  requireWithinYear('sendAtMS', sendAtMS)
  requireReply(thread, replyTo)
  const content = contentOf(message)
  await requireWriter(chat, app, sender, room)
  if (by.kind === 'user') await requireRoomMention(db, by, mentions, room)
  if ((await countScheduled(db, app, sender, maxScheduled)) >= maxScheduled) {
    throw new ApiError('TOO_MANY_SCHEDULED', `a user may have at most ${maxScheduled} scheduled messages`)
  }
  const byClient = by.kind === 'user'
  const attachments = wanted && (await attachFiles(chat, { app, sender, byClient }, wanted))
  const id = idByKey ?? newId()
  const made = await insertScheduled(db, {
    ...{ _id: key(app, id), app, id, room, sender, senderKey: key(app, sender), content, push: given.push },
    ...{ messageType: given.messageType, sendAtMS, nextMS: sendAtMS, createdAtMS: clock.now() },
    ...defined({ ...rest, attachments, thread: thread || undefined }),
    ...(skipTotalBadge && { skipTotalBadge }),
    ...(byClient && { byClient }),
  })
  if (made === 'no sender') throw unknownUser('sender', sender)
  announceDue(chat, 'scheduled', made.sendAtMS)
  return toScheduledView(made)
}

/** A ban refuses scheduling at once. Every other rule is checked when the message is due. */
async function requireWriter(chat: Chat, app: string, sender: string, room: string): Promise<void> {
  const user = await findUser(chat.db, app, sender)
  if (!user) throw unknownUser('sender', sender)
  if (banInForce(user)) throw bannedFromApp(sender)
  const { membership } = await requireMember(chat, asUser(app, sender), room)
  if (isBlocked(membership)) {
    throw new ApiError('USER_BLOCKED', 'sender is banned in the room, or blocked by the other user')
  }
}

/** Attempts if the message changes between read and write. */
const maxTries = 5

type Change = Input<typeof changeScheduledOperation>['body']

/**
 * Changes a scheduled message (docs/reference/messages.md#send-later). A user who changes a text that the integrator
 * wrote on their behalf becomes its author, and then all of its files must be theirs. If another change or a refusal
 * intervenes, permission is checked again.
 * @throws ApiError SCHEDULED_NOT_FOUND, also while it is being sent; INVALID_REQUEST, FILE_NOT_FOUND,
 * MESSAGE_TOO_LARGE, and the errors of requireWriter
 */
export async function changeScheduled(chat: Chat, by: Caller, id: string, change: Change): Promise<ScheduledMessage> {
  for (let tries = 0; tries < maxTries; tries++) {
    const found = await findOwn(chat.db, by, id)
    if (found.claim !== undefined) throw unknown(id)
    const changed = await changeAsRead(chat, by, found, change)
    if (changed) {
      announceDue(chat, 'scheduled', changed.sendAtMS)
      return toScheduledView(changed)
    }
  }
  throw new ContentionTimeout('a scheduled message kept changing')
}

/** Returns null if the message has changed since it was read. */
async function changeAsRead(
  chat: Chat,
  by: Caller,
  found: ScheduledDoc,
  { sendAtMS, message, messageType, attachments: wanted }: Change,
): Promise<ScheduledDoc | null> {
  const { db } = chat
  if (sendAtMS !== undefined || found.refused) requireWithinYear('sendAtMS', sendAtMS)
  await requireWriter(chat, by.app, found.sender, found.room)
  const isChanged = message !== undefined || messageType !== undefined || wanted !== undefined
  const becomesTheirs = by.kind === 'user' && !found.byClient && isChanged
  const byClient = found.byClient === true || becomesTheirs
  const toCheck = wanted ?? (becomesTheirs ? found.attachments : undefined)
  const checked = toCheck && (await attachFiles(chat, { ...found, byClient }, toCheck))
  const attachments = wanted && checked
  const content = message === undefined ? undefined : contentOf(message)
  const set = {
    sendAtMS: sendAtMS ?? found.sendAtMS,
    ...defined({ content, messageType, attachments }),
    ...(byClient && { byClient }),
  }
  const changed = await inTransaction(db, async (session) => {
    const written = await scheduled.changeScheduled(db, found, set, session)
    if (written) await audit(chat, found, changedFields(shownInAudit(found), set, ['content', 'attachments']), session)
    return written
  })
  if (changed && attachments) await releaseFiles(db, by.app, found.attachments ?? [])
  return changed
}

/** @throws ApiError SCHEDULED_NOT_FOUND, also when it is being sent */
export async function cancelScheduled(chat: Chat, by: Caller, id: string): Promise<ScheduledMessage> {
  const { db } = chat
  const own = await findOwn(db, by, id)
  const cancelled = await inTransaction(db, async (session) => {
    const found = await scheduled.cancelScheduled(db, own, session)
    if (found) await audit(chat, found, { before: shownInAudit(found) }, session)
    return found
  })
  if (!cancelled) throw unknown(id)
  await releaseFiles(db, by.app, cancelled.attachments ?? [])
  return toScheduledView(cancelled)
}

/** Records a change of a user's message by a key or an operator: the subject is the user. */
async function audit(
  { audit: recorder, db }: Chat,
  { id, room, sender }: ScheduledDoc,
  { before, after }: Pick<AuditDetails, 'before' | 'after'>,
  session: Session,
): Promise<void> {
  const about = { scheduled: id, room, ...before }
  recorder?.addDetails({ subject: { kind: 'user', id: sender }, before: about, ...(after && { after }) })
  await recorder?.write(db, session)
}

/** Without texts. */
const shownInAudit = ({ sendAtMS, messageType }: ScheduledDoc) => ({ sendAtMS, messageType })

async function findOwn(db: Chat['db'], by: Caller, id: string): Promise<ScheduledDoc> {
  const found = await scheduled.findScheduled(db, by.app, id)
  const own = userOf(by)
  if (!found || (own !== undefined && found.sender !== own)) throw unknown(id)
  return found
}

function unknown(id: string): ApiError {
  return new ApiError('SCHEDULED_NOT_FOUND', `id: no scheduled message ${JSON.stringify(id)}, or it is being sent`)
}

/** A page of a user's or the app's scheduled messages, next one first. @throws ApiError INVALID_QUERY */
export async function listScheduled(
  { db }: Chat,
  by: Caller,
  { sender, limit, cursor }: Input<typeof listScheduledOperation>['query'],
): Promise<Result<typeof listScheduledOperation>> {
  const own = userOf(by)
  if (own !== undefined && sender !== undefined && sender !== own) {
    throw new ApiError('INVALID_QUERY', 'sender: must be the caller')
  }
  const after = parseCursor('scheduled', cursor)
  const oneMore = await findScheduledPage(db, { app: by.app, sender: own ?? sender }, { after, limit: limit + 1 })
  const positionOf = ({ sendAtMS: atMS, id }: ScheduledDoc) => ({ atMS, id })
  return toPage('scheduled', oneMore, limit, { view: toScheduledView, positionOf })
}

function toScheduledView(doc: ScheduledDoc): ScheduledMessage {
  const { id, room, sender, content, messageType, sendAtMS, createdAtMS } = doc
  const { mentions, clientMessageID, attachments, replyTo, thread, expiresInS, refused } = doc
  return {
    ...{ id, room, sender, message: readJson(content), messageType, sendAtMS, createdAtMS },
    ...defined({ mentions, clientMessageID, attachments, replyTo, thread, expiresInS, refused }),
  }
}
