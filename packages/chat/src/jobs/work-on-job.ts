import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '@parley/db/connect'
import type { JobDoc } from '@parley/db/documents'
import { endJob, giveUpJob, JobTaken, jobLeaseMS, keepJob, postponeJob, releaseJob } from '@parley/db/jobs'
import { newId } from '@parley/db/messages/messages'
import type { Log } from '../ports.ts'

/** A process with this many jobs, including those of its own requests, takes no more. */
const maxAtOnce = 4
/** A batch or an export is abandoned after this many starts without progress. */
const maxAttempts = 20
/** Initial backoff of a failed job, doubled each time up to some minutes. */
const retryAfterMS = 2_000
const maxDoublings = 8

export interface Jobs {
  /** Names this process in leases. */
  worker: string
  /** Work that takes longer than this becomes a job, in milliseconds. */
  afterMS: number
  /** Aborts when the process stops. Work ends at the next point from which another process can continue. */
  signal: AbortSignal
  track(work: Promise<unknown>): void
  readonly count: number
  readonly isFull: boolean
  /** Stops all jobs. Settles when none is running. */
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
    get isFull() {
      return inFlight.size >= maxAtOnce
    },
    async stop() {
      stopping.abort()
      await Promise.allSettled(inFlight)
    },
  }
}

/**
 * Works on a job under this process's lease, which is extended until the work ends, then records the result. Never
 * fails: unfinished work is left to the next holder of the lease.
 * @param work returns whether it is finished; false if the process is stopping
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
      else await releaseJob(db, job)
      log.info(about, isFinished ? 'job done' : 'job left to another process')
      return isFinished
    } catch (error) {
      if (error instanceof JobTaken) return false
      log.error(
        { err: error, ...about },
        'job failed; it is retried, and a batch or an export is given up after enough attempts',
      )
      await giveUpOrRelease().catch((failure: unknown) =>
        log.warn({ err: failure, ...about }, 'job not released; its lease expires'),
      )
      return false
    }
  }

  async function giveUpOrRelease(): Promise<void> {
    // An abandoned erasure would leave the user's data to the next owner of the ID, and could not be repeated.
    if (job.kind !== 'erasure' && (await giveUpJob(db, job, maxAttempts))) return
    await postponeJob(db, job, retryAfterMS, maxDoublings)
  }

  const timer = setInterval(() => void keep(), jobLeaseMS / 3)
  const over = run().finally(() => clearInterval(timer))
  jobs.track(over)
  return over
}

/** Whether the work ends within the time that a request may take. `work` continues in any case. */
export async function isOverSoon(work: Promise<unknown>, afterMS: number): Promise<boolean> {
  const enough = new AbortController()
  const late = pause(afterMS, false, { signal: enough.signal }).catch(() => false)
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    enough.abort()
  }
}

/** The result of an operation that continues in the background. */
export class Accepted<Result = { job: string }> {
  readonly result: Result

  constructor(result: Result) {
    this.result = result
  }
}
