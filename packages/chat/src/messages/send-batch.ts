import { clock } from '@parley/async/clock'
import { digest } from '@parley/db/apps/apps'
import type { JobDoc, JobOutcome } from '@parley/db/documents'
import { advanceJob, deleteEndedJob, findJob, insertJob } from '@parley/db/jobs'
import { newId } from '@parley/db/messages/messages'
import { sendKeysKeptMS } from '@parley/db/messages/send-keys'
import { isServerError } from '@parley/db/server-errors'
import type { Chat } from '../chat.ts'
import { Accepted, isOverSoon, workOnJob } from '../jobs/work-on-job.ts'
import { JsonText, listText } from '../views/json-text.ts'
import { contentOf } from './draft.ts'
import { type Batch, continueBatch, outcomesText, requireServed, runBatch, servedOf } from './run-batch.ts'

/**
 * POST /messages/batch: queues the batch, then sends it to all recipients, even if the client disconnects. A batch that
 * outlasts a request continues as a job (docs/reference/jobs.md).
 * @param about the request ID, for log lines; and the key that makes the batch repeatable
 * @throws ApiError MESSAGE_TOO_LARGE, INVALID_REQUEST for the message itself; TOO_MANY_REQUESTS
 */
export async function answerBatch(
  chat: Chat,
  app: string,
  batch: Batch,
  { request, idempotencyKey }: { request: string; idempotencyKey?: string | undefined },
): Promise<JsonText | Accepted> {
  contentOf(batch.message)
  const name = idempotencyKey === undefined ? newId() : idFor(idempotencyKey)
  const id = idempotencyKey === undefined ? name : idFor(JSON.stringify([idempotencyKey, batch.sender]))
  const earlier = idempotencyKey === undefined ? undefined : await answerOfEarlier(chat, app, id)
  if (earlier) return earlier
  const outcomes: JobOutcome[] = []
  let job: Promise<JobDoc> | undefined
  let isRepeated = false

  async function record(part: JobOutcome[]): Promise<void> {
    if (isRepeated) return
    if (job) {
      requireServed(part)
      await advanceJob(chat.db, { ...(await job), done: outcomes.length }, part.length, { outcomes: part })
    }
    outcomes.push(...part)
  }
  const isStopped = () => isRepeated || (job !== undefined && chat.jobs.signal.aborted)
  const sending = chat.limits.batches({ app }, () =>
    runBatch(chat, { app, batch, name, request, from: 0 }, record, isStopped),
  )
  if (await isOverSoon(sending, chat.jobs.afterMS)) return new JsonText(listText(outcomesText(chat.db, outcomes)))

  const served = servedOf(outcomes)
  // Recipients missed while the database was away are retried in order, with all after them.
  isRepeated = served.length < outcomes.length
  job = insertJob(
    chat.db,
    {
      ...{ app, id, kind: 'batch', total: batch.paras.length, done: served.length, outcomes: served },
      batch: { json: JSON.stringify(batch), name, request },
    },
    chat.jobs.worker,
  )
  const made = await job.catch(ofAnother)
  if (made) {
    const rest = isRepeated ? sending.then(() => continueBatch(chat, made)) : sending
    void workOnJob(chat, made, () => rest)
  }
  return new Accepted({ job: id })
}

/** A concurrent request with the same batch created the job; this one ends with its next part. */
function ofAnother(error: unknown): undefined {
  if (!isServerError(error, 'DuplicateKey')) throw error
}

function idFor(text: string): string {
  return digest(text).slice(0, 32)
}

/**
 * The response for a batch with this ID that became a job before; undefined if there was none. Once the idempotency
 * keys of its messages have expired, the batch's key may be used by a new batch, which replaces that job.
 */
async function answerOfEarlier(chat: Chat, app: string, id: string): Promise<JsonText | Accepted | undefined> {
  const found = await findJob(chat.db, app, id, { skip: 0, limit: 1_000 })
  if (!found) return undefined
  const { state, finishedAt, outcomes = [] } = found
  if (finishedAt && finishedAt.getTime() < clock.now() - sendKeysKeptMS) {
    await deleteEndedJob(chat.db, { ...found, finishedAt })
    return undefined
  }
  return state === 'done' ? new JsonText(listText(outcomesText(chat.db, outcomes))) : new Accepted({ job: id })
}
