import { setTimeout as pause } from 'node:timers/promises'
import { runEvery } from '@parley/async/run-every'
import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { getJob as operation } from '@parley/contracts/operations/integrations/jobs'
import type { Job } from '@parley/contracts/resources/job'
import type { Db } from '@parley/db/connect'
import type { JobDoc } from '@parley/db/documents'
import {
  endJob,
  findJob,
  giveUpJob,
  JobTaken,
  jobLeaseMS,
  keepJob,
  leaseJob,
  postponeJob,
  releaseJob,
} from '@parley/db/jobs'
import { newId } from '@parley/db/messages/messages'
import type { Chat } from '../chat.ts'
import { continueBatch, outcomesText } from '../messages/sending/run-batch.ts'
import type { Log } from '../ports.ts'
import { continueErasure } from '../users/continue-erasure.ts'
import { JsonText, listText } from '../views/json-text.ts'

/**
 * How far a job is, and of a batch a page of the outcomes (docs/reference/jobs.md).
 * @throws ApiError JOB_NOT_FOUND
 */
export async function getJob(
  chat: Chat,
  app: string,
  id: string,
  page: Input<typeof operation>['query'],
): Promise<JsonText> {
  const { db } = chat
  const found = await findJob(db, app, id, page)
  if (!found) throw new ApiError('JOB_NOT_FOUND', `id: no job ${JSON.stringify(id)}`)
  const { kind, state, createdAt, updatedAt, finishedAt, done, total, outcomes = [], reached } = found
  const job: Job = {
    _id: id,
    ...{ kind, state, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
    ...(finishedAt && { finishedAt: finishedAt.toISOString() }),
    progress: { done, total },
  }
  const text = JSON.stringify(job)
  if (kind !== 'batch') return new JsonText([text])

  async function* parts(): AsyncGenerator<string> {
    yield `${text.slice(0, -1)},"outcomes":{"totalCount":${reached},"data":`
    yield* listText(outcomesText(db, outcomes))
    yield '}}'
  }
  return new JsonText(parts())
}

const lookEveryMS = 1_000
/** Jobs that one process works on at most; those that its own requests left count too. */
const atOnce = 4

/**
 * Goes on with jobs that no process works on, because it stopped or died, until the signal aborts. Any number of
 * processes may run this.
 */
export async function runJobs(chat: Chat, signal: AbortSignal): Promise<void> {
  const takeJobs = async () => {
    while (!signal.aborted && chat.jobs.count < atOnce && (await takeNextJob(chat))) continue
  }
  const onError = (error: Error) => chat.log.warn({ err: error }, 'jobs not read; trying again')
  await runEvery(lookEveryMS, takeJobs, { onError, signal })
}

/** Takes a job without a worker, if there is one; returns whether there was. */
export async function takeNextJob(chat: Chat): Promise<boolean> {
  const job = await leaseJob(chat.db, chat.jobs.worker)
  if (!job) return false
  chat.log.info({ job: job.id, kind: job.kind, app: job.app, done: job.done }, 'going on with a job')
  void workOnJob(chat, job, () => goOn(chat, job))
  return true
}

function goOn(chat: Chat, job: JobDoc): Promise<boolean> {
  return job.kind === 'batch' ? continueBatch(chat, job) : continueErasure(chat, job)
}

/** A batch is given up when it was begun so often without getting on. */
const mostAttempts = 20
/** Before a job that failed is tried again; each time twice as long, up to some minutes. */
const tryAgainAfterMS = 2_000
const mostDoublings = 8

/** The jobs that this process works on. */
export interface Jobs {
  /** Names this process in leases. */
  worker: string
  /** Work that takes longer becomes a job, in milliseconds. */
  afterMS: number
  /** Aborts when the process stops: the work ends at the next point where another process can continue. */
  signal: AbortSignal
  track(work: Promise<unknown>): void
  /** How many are worked on here. */
  readonly count: number
  /** Settles when nothing is worked on here any more. */
  stop(): Promise<void>
}

export function createJobs(afterMS: number): Jobs {
  const stopping = new AbortController()
  const inFlight = new Set<Promise<unknown>>()
  return {
    worker: newId(),
    afterMS,
    signal: stopping.signal,
    track(work) {
      const tracked = work.finally(() => inFlight.delete(tracked))
      inFlight.add(tracked)
    },
    get count() {
      return inFlight.size
    },
    async stop() {
      stopping.abort()
      await Promise.allSettled(inFlight)
    },
  }
}

/**
 * Works on a job under this process's lease, which it extends until the work is over; then records the end. Never
 * fails: unfinished work is left to the next holder of the lease.
 * @param work returns whether it is finished, or stopped because the process stops
 * @returns whether the job is done
 */
export function workOnJob(
  chat: { db: Db; log: Log; jobs: Jobs },
  job: JobDoc,
  work: () => Promise<boolean>,
): Promise<boolean> {
  const { db, log, jobs } = chat
  const about = { job: job.id, kind: job.kind, app: job.app }
  const keep = () =>
    keepJob(db, job).catch((error: unknown) => log.warn({ err: error, ...about }, 'lease of a job not extended'))

  async function run(): Promise<boolean> {
    try {
      const isFinished = await work()
      if (isFinished) await endJob(db, job)
      else await releaseJob(db, job, 0)
      log.info(about, isFinished ? 'job done' : 'job left to another process')
      return isFinished
    } catch (error) {
      if (error instanceof JobTaken) return false
      log.error(
        { err: error, ...about },
        'job failed for now; it is tried again, and a batch given up after enough tries',
      )
      await giveUpOrRelease().catch((failure: unknown) =>
        log.warn({ err: failure, ...about }, 'job not released; its lease expires'),
      )
      return false
    }
  }

  async function giveUpOrRelease(): Promise<void> {
    // An erasure given up would leave the user's data to the next one of the ID, and could not be repeated.
    if (job.kind === 'batch' && (await giveUpJob(db, job, mostAttempts))) return
    await postponeJob(db, job, tryAgainAfterMS, mostDoublings)
  }

  const timer = setInterval(() => void keep(), jobLeaseMS / 3)
  const over = run().finally(() => clearInterval(timer))
  jobs.track(over)
  return over
}

/** Whether the work is over within the time that a request may take; `work` goes on in any case. */
export async function isOverSoon(work: Promise<unknown>, afterMS: number): Promise<boolean> {
  const enough = new AbortController()
  const late = pause(afterMS, false, { signal: enough.signal }).catch(() => false)
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    enough.abort()
  }
}

/** The result of an operation that continues, or runs later. */
export class Accepted<Result = { job: string }> {
  readonly result: Result

  constructor(result: Result) {
    this.result = result
  }
}
