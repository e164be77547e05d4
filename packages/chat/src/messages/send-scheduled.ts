import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { ScheduledDoc } from '@parley/db/messages/documents'
import { newId } from '@parley/db/messages/messages'
import { claimDue, markRefused, postponeScheduled, removeSent } from '@parley/db/messages/scheduled'
import type { Chat } from '../chat.ts'
import { untilDone, type Worker } from '../jobs/run-workers.ts'
import { sendContent } from '../send/send-message.ts'

const atOnce = 200
const againAfterMS = 2_000

/**
 * Sends due scheduled messages. Any number of processes may run this: each leases some. If a process dies after the
 * send and before the record is updated, another repeats the send under the same idempotency key, which sends nothing.
 * A process that stalls beyond its lease sends nothing either.
 */
export function sendScheduled(chat: Chat): Worker {
  return {
    kinds: ['scheduled'],
    onError: (error) => chat.log.warn({ err: error }, 'scheduled messages not read; trying again'),
    work: untilDone(async () => (await sendDue(chat)) === atOnce),
  }
}

/** Sends one batch of due messages. Returns its size. */
export async function sendDue(chat: Chat): Promise<number> {
  const due = await claimDue(chat.db, newId(), atOnce)
  await Promise.all(due.map((one) => sendTaken(chat, one)))
  return due.length
}

/** Sends a leased message. A failure is stored with it. */
export async function sendTaken(chat: Chat, one: ScheduledDoc): Promise<void> {
  const { id, content, nextMS: leaseUntilMS, ...send } = one
  const { app, room } = one
  try {
    // The message ID holds the current time, since rebuilding a stream finds messages by it. A later message may be
    // scheduled under the same ID, so the key includes the creation time.
    const idempotencyKey = `scheduled ${id} ${one.createdAtMS}`
    await sendContent(chat, { ...send, leaseUntilMS, idempotencyKey }, content)
    await removeSent(chat.db, one)
  } catch (error) {
    await recordFailure(chat, one, error).catch((failure: unknown) =>
      chat.log.warn({ err: failure, app, room }, 'scheduled messages not read; trying again'),
    )
  }
}

/**
 * A refusal is final, except transient ones such as slow mode or an import, which only delay the message. After any
 * other error, such as a lost connection, the message may have been written.
 */
async function recordFailure(chat: Chat, one: ScheduledDoc, error: unknown): Promise<void> {
  const { app, room } = one
  const isRefused =
    error instanceof ApiError && error.status < 500 && error.status !== 429 && error.code !== 'ROOM_IMPORTING'
  if (isRefused && one.isSystem) {
    const { messageType } = one
    chat.log.warn({ err: error, app, room, messageType }, 'system message not written')
    return removeSent(chat.db, one)
  }
  if (isRefused) return markRefused(chat.db, one, error)
  if (!(error instanceof ApiError)) chat.log.warn({ err: error, app, room }, 'scheduled message not sent; trying again')
  const afterMS = (error instanceof ApiError ? error.details.retryAfterMS : undefined) ?? againAfterMS
  await postponeScheduled(chat.db, one, clock.now() + afterMS, error instanceof ApiError ? 'no' : 'maybe')
}
