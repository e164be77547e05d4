import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { changeScheduled as operation } from '@parley/contracts/operations/messages/scheduled'
import type { ScheduledMessage } from '@parley/contracts/resources/scheduled-message'
import { releaseFiles } from '@parley/db/files/files'
import type { ScheduledDoc } from '@parley/db/messages/documents'
import * as scheduled from '@parley/db/messages/scheduled'
import { NoTurn } from '@parley/db/transactions/turns'
import { type Caller, userOf } from '../../access/caller.ts'
import type { Chat } from '../../chat.ts'
import { attachFiles } from '../../files/attach-files.ts'
import { toScheduledView } from '../../views/scheduled-message.ts'
import { contentOf } from './message-content.ts'
import { requireScheduledTime, requireWriter } from './schedule-message.ts'

/** Attempts, if the message changes between read and write. */
const mostTries = 5

type Change = Input<typeof operation>['body']

/**
 * Changes a scheduled message (docs/reference/messages.md#send-later). A user who changes the integrator's text in
 * their name becomes its author: all of its files must then be theirs. If another change or a refusal comes in between,
 * the permission is decided again.
 * @throws ApiError SCHEDULED_NOT_FOUND, also when it is being sent; INVALID_REQUEST, FILE_NOT_FOUND, MESSAGE_TOO_LARGE,
 *   and the errors of requireWriter
 */
export async function changeScheduled(chat: Chat, by: Caller, id: string, change: Change): Promise<ScheduledMessage> {
  for (let tries = 0; tries < mostTries; tries++) {
    const found = await findOwn(chat.db, by, id)
    if (found.claim !== undefined) throw unknown(id)
    const changed = await changeAsRead(chat, by, found, change)
    if (changed) return toScheduledView(changed)
  }
  throw new NoTurn('a message that is to be sent later kept changing')
}

/** Null if it has changed since it was read. */
async function changeAsRead(
  chat: Chat,
  by: Caller,
  found: ScheduledDoc,
  { sendAtMS, message, messageType, attachments: wanted }: Change,
): Promise<ScheduledDoc | null> {
  const { db } = chat
  if (sendAtMS !== undefined || found.refused) requireScheduledTime(sendAtMS)
  await requireWriter(chat, by.app, found.sender, found.room)
  const isChanged = message !== undefined || messageType !== undefined || wanted !== undefined
  const becomesTheirs = by.kind === 'user' && !found.byClient && isChanged
  const byClient = found.byClient === true || becomesTheirs
  const toCheck = wanted ?? (becomesTheirs ? found.attachments : undefined)
  const checked = toCheck && (await attachFiles(chat, { ...found, byClient }, toCheck))
  const attachments = wanted && checked
  const changed = await scheduled.changeScheduled(db, found, {
    sendAtMS: sendAtMS ?? found.sendAtMS,
    ...(message !== undefined && { content: contentOf(message) }),
    ...(messageType !== undefined && { messageType }),
    ...(attachments && { attachments }),
    ...(byClient && { byClient }),
  })
  if (changed && attachments) await releaseFiles(db, by.app, found.attachments ?? [])
  return changed
}

/** @throws ApiError SCHEDULED_NOT_FOUND, also when it is being sent */
export async function cancelScheduled({ db }: Chat, by: Caller, id: string): Promise<ScheduledMessage> {
  const cancelled = await scheduled.cancelScheduled(db, await findOwn(db, by, id))
  if (!cancelled) throw unknown(id)
  await releaseFiles(db, by.app, cancelled.attachments ?? [])
  return toScheduledView(cancelled)
}

async function findOwn(db: Chat['db'], by: Caller, id: string): Promise<ScheduledDoc> {
  const found = await scheduled.findScheduled(db, by.app, id)
  const own = userOf(by)
  if (!found || (own !== undefined && found.sender !== own)) throw unknown(id)
  return found
}

function unknown(id: string): ApiError {
  return new ApiError('SCHEDULED_NOT_FOUND', `id: no message ${JSON.stringify(id)} waits, or it is being sent`)
}
