import { inParts } from '@parley/async/in-parts'
import { ApiError, type ErrorCode } from '@parley/contracts/errors'
import { readJson } from '@parley/contracts/free-json'
import type { Input } from '@parley/contracts/operation'
import type { BatchTarget, sendBatch as operation } from '@parley/contracts/operations/messages/messages'
import type { Db } from '@parley/db/connect'
import type { JobDoc, JobOutcome } from '@parley/db/documents'
import { advanceJob } from '@parley/db/jobs'
import { currentMessage } from '@parley/db/messages/deleted-messages'
import { findSentMessages } from '@parley/db/messages/messages'
import { findRoomsByKey } from '@parley/db/rooms/rooms'
import { apiErrorOf } from '../api-error-of.ts'
import type { Chat } from '../chat.ts'
import { sendContent } from '../send/send-message.ts'
import { sentMessageJson } from '../views/message.ts'
import { batchTemplate } from './batch-template.ts'
import { type DirectRooms, directRoomsFor } from './direct-rooms.ts'
import { nothingQuoted } from './reading/quoted-messages.ts'

export type Batch = Input<typeof operation>['body']

interface BatchWork {
  app: string
  batch: Batch
  /** Identifies the batch among those of the sender, so that a repeat sends no message twice. */
  name: string
  /** Request ID, for the log lines of the messages. */
  request: string
  from: number
}

/** Recipients served concurrently. Their rooms and messages share transactions. */
const atOnce = 250
/** Recipients per part in a job, which records its progress after each part: a kill repeats at most this many. */
const atOnceInJob = 100

/**
 * Sends one message to many recipients (docs/reference/messages.md#send-to-many), part by part in order, and calls
 * `record` with the outcomes of each part. A receiver gets it in the direct room with the sender. An error affects only
 * its recipient.
 * @returns whether all are served; false if `isStopped` returned true before a part
 */
export async function runBatch(
  chat: Chat,
  { app, batch, name, request, from }: BatchWork,
  record: (outcomes: JobOutcome[]) => Promise<void>,
  isStopped: () => boolean,
  perPart = atOnce,
): Promise<boolean> {
  const contentFor = batchTemplate(batch.message)
  const keys = keysOf(batch.paras)
  const { sender, messageType, push, skipTotalBadge, expiresInS, attachments } = batch

  async function sendTo(target: BatchTarget, i: number, rooms: DirectRooms): Promise<JobOutcome> {
    if (sender === undefined) throw new ApiError('MISSING_PARAMETER', 'sender is required')
    // Computed before the room, which is created if missing.
    const content = contentFor(target.patterns)
    const room = target.room ?? (await rooms.open(target.receiver ?? ''))
    const idempotencyKey = `batch ${name} ${keys[i]}`
    const shown = { messageType, push, skipTotalBadge, expiresInS, attachments }
    const sent = { app, room, sender, ...shown, request, idempotencyKey }
    const { message } = await sendContent(chat, sent, content)
    return { message: message._id, roomKey: message.roomKey }
  }

  async function outcomeOf(target: BatchTarget, i: number, rooms: DirectRooms): Promise<JobOutcome> {
    try {
      return await sendTo(target, i, rooms)
    } catch (error) {
      const { code, message, status } = apiErrorOf(error)
      if (status >= 500) chat.log.error({ err: error, app, request, room: target.room }, 'message of a batch not sent')
      return { error: { code, message } }
    }
  }

  for (let i = from; i < batch.paras.length; i += perPart) {
    if (isStopped()) return false
    const part = batch.paras.slice(i, i + perPart)
    const rooms = directRoomsFor(chat, app, batch, part)
    await record(await Promise.all(part.map((target, n) => outcomeOf(target, i + n, rooms))))
  }
  return true
}

/** Counts the messages to each recipient, so a repeat may reorder them. A receiver's room may be a recipient too. */
function keysOf(targets: readonly BatchTarget[]): string[] {
  const counts = new Map<string, number>()
  return targets.map(({ room, receiver }) => {
    const to = JSON.stringify({ room, receiver })
    const count = counts.get(to) ?? 0
    counts.set(to, count + 1)
    return receiver === undefined ? `${count}` : `${count} ${receiver}`
  })
}

/** Continues a batch that is a job of this process. Returns whether it is finished. @throws JobTaken */
export async function continueBatch(chat: Chat, job: JobDoc): Promise<boolean> {
  if (!job.batch) return true
  const { json, request, name } = job.batch
  const work = { app: job.app, batch: readJson(json) as Batch, name, request, from: job.done }
  let { done } = job
  const record = async (outcomes: JobOutcome[]) => {
    requireServed(outcomes)
    await advanceJob(chat.db, { ...job, done }, outcomes.length, { outcomes })
    done += outcomes.length
  }
  return runBatch(chat, work, record, () => chat.jobs.signal.aborted, atOnceInJob)
}

/** Throws if the database was away, so that the job retries the part and no recipient misses the message. */
export function requireServed(outcomes: readonly JobOutcome[]): void {
  if (servedOf(outcomes).length < outcomes.length) throw new ApiError('SERVICE_UNAVAILABLE')
}

/** The outcomes before the first that failed because the database was away. */
export function servedOf(outcomes: readonly JobOutcome[]): JobOutcome[] {
  const away = outcomes.findIndex(
    (outcome) => 'error' in outcome && outcome.error.code === ('SERVICE_UNAVAILABLE' satisfies ErrorCode),
  )
  return outcomes.slice(0, away < 0 ? outcomes.length : away)
}

const outcomesAtOnce = 100

/** The outcomes of a batch as JSON text. Messages are read on demand, so a slow reader holds none in memory. */
export async function* outcomesText(db: Db, outcomes: readonly JobOutcome[]): AsyncGenerator<string[]> {
  for (const part of inParts(outcomes, outcomesAtOnce)) {
    const sent = part.flatMap((outcome) =>
      'message' in outcome ? [{ _id: outcome.message, roomKey: outcome.roomKey }] : [],
    )
    const messages = await messageTexts(db, sent)
    yield part.map((outcome) =>
      'message' in outcome ? `{"result":${messages.get(outcome.message)}}` : JSON.stringify(outcome),
    )
  }
}

async function messageTexts(db: Db, sent: readonly { _id: string; roomKey: string }[]): Promise<Map<string, string>> {
  const found = [...(await findSentMessages(db, sent)).values()]
  const rooms = await findRoomsByKey(db, [...new Set(found.map(({ roomKey }) => roomKey))])
  const roomByKey = new Map(rooms.map((room) => [room._id, room]))
  return new Map(
    found.map((message) => [
      message._id,
      // A batch has no replies.
      sentMessageJson(currentMessage(message, roomByKey.get(message.roomKey) ?? {}), nothingQuoted),
    ]),
  )
}
