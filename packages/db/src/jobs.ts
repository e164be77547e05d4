import { clock } from '@parley/async/clock'
import { defined } from '@parley/contracts/defined'
import type { Filter, IndexDescription } from 'mongodb'
import type { Db, Session } from './db.ts'
import type { ExportPiece, JobDoc, JobOutcome } from './documents.ts'
import { findTimePage, type TimePage } from './find-page.ts'
import { key } from './keys.ts'

const latestFirst = { createdAtMS: -1, _id: -1 } as const

export const jobIndexes: IndexDescription[] = [
  { key: { leaseUntilMS: 1 }, partialFilterExpression: { leaseUntilMS: { $exists: true } } },
  { key: { erasing: 1 }, partialFilterExpression: { erasing: { $exists: true } } },
  { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  { key: { app: 1, ...latestFirst } },
  { key: { app: 1, state: 1, ...latestFirst } },
  { key: { app: 1, kind: 1, ...latestFirst } },
]

/** Another process has taken the job. */
export class JobTaken extends Error {
  override name = 'JobTaken'
}

export const jobLeaseMS = 15_000
const keepMS = 7 * 24 * 60 * 60 * 1_000

/**
 * Inserts a job that `worker` runs; with a `leaseMS` of 0, any process may take it at once.
 * @throws a duplicate key error if the app has a job with this ID
 */
export async function insertJob(
  db: Db,
  job: Pick<JobDoc, 'app' | 'id' | 'kind' | 'total' | 'done'> & Partial<JobDoc>,
  worker: string,
  { session, leaseMS = jobLeaseMS }: { session?: Session; leaseMS?: number } = {},
): Promise<JobDoc> {
  const now = clock.date()
  const times = { createdAtMS: now.getTime(), updatedAt: now, leaseUntilMS: now.getTime() + leaseMS }
  const whole: JobDoc = { ...job, _id: key(job.app, job.id), state: 'running', ...times, worker, attempts: 1 }
  await db.jobs.insertOne(whole, { ...(session && { session }) })
  return whole
}

/** A job with a page of its results, without its input. `reached` is the number of results. */
export async function findJob(
  db: Db,
  app: string,
  id: string,
  { skip, limit }: { skip: number; limit: number },
): Promise<(JobDoc & { reached: number }) | null> {
  // $slice takes 32-bit positions.
  const outcomes = { $slice: [{ $ifNull: ['$outcomes', []] }, Math.min(skip, 2 ** 31 - 1), limit] }
  const found = await db.jobs
    .aggregate<JobDoc & { reached: number }>([
      { $match: { _id: key(app, id) } },
      { $set: { reached: { $size: { $ifNull: ['$outcomes', []] } } } },
      { $set: { outcomes } },
      { $unset: 'batch' },
    ])
    .toArray()
  return found[0] ?? null
}

export type ListedJob = Omit<JobDoc, 'batch' | 'outcomes'>

const listed = { projection: { batch: 0, outcomes: 0 } } as const

/** A page of an app's jobs, latest first. Uses the index of the state or kind if given. */
export async function findJobs(
  db: Db,
  app: string,
  { state, kind, ...page }: TimePage & Partial<Record<'state' | 'kind', string | undefined>>,
): Promise<ListedJob[]> {
  const of = { app, ...defined({ state, kind }) } as Filter<JobDoc>
  return findTimePage(db.jobs, of, { time: 'createdAtMS', id: '_id' }, page, listed)
}

export async function findListedJob(db: Db, app: string, id: string): Promise<ListedJob | null> {
  return db.jobs.findOne<ListedJob>({ _id: key(app, id) }, listed)
}

/** Leases a job with an expired lease; null if there is none. */
export async function leaseJob(db: Db, worker: string): Promise<JobDoc | null> {
  const now = clock.now()
  return db.jobs.findOneAndUpdate(
    { leaseUntilMS: { $exists: true, $lte: now } },
    { $set: { worker, leaseUntilMS: now + jobLeaseMS }, $inc: { attempts: 1 } },
    { sort: { leaseUntilMS: 1 }, hint: { leaseUntilMS: 1 }, returnDocument: 'after' },
  )
}

/** Extends the lease of a job. @throws JobTaken */
export async function keepJob(db: Db, { _id, worker }: JobDoc): Promise<void> {
  await change(db, { _id, worker }, { $set: { leaseUntilMS: clock.now() + jobLeaseMS } })
}

/**
 * Records progress beyond `done`, and for a batch the results of its recipients.
 * @throws JobTaken if another process has the job, or has already recorded this progress
 */
export async function advanceJob(
  db: Db,
  { _id, worker, done }: Pick<JobDoc, '_id' | 'worker' | 'done'>,
  by: number,
  { outcomes, session }: { outcomes?: readonly JobOutcome[]; session?: Session },
): Promise<void> {
  const update = {
    $set: { updatedAt: clock.date(), leaseUntilMS: clock.now() + jobLeaseMS, attempts: 0 },
    $inc: { done: by },
    ...(outcomes && { $push: { outcomes: { $each: [...outcomes] } } }),
  }
  await change(db, { _id, worker, done }, update, session)
}

/** Records the progress of erasing a user's content. @throws JobTaken */
export async function recordErased(
  db: Db,
  { _id, worker }: JobDoc,
  { messages = 0, spared, afterRoom }: { messages?: number; spared?: string; afterRoom?: string },
  session?: Session,
): Promise<void> {
  const position = afterRoom !== undefined && { 'erased.afterRoom': afterRoom }
  const update = {
    $set: { updatedAt: clock.date(), leaseUntilMS: clock.now() + jobLeaseMS, attempts: 0, ...position },
    $inc: { 'erased.messages': messages },
    ...(spared !== undefined && { $addToSet: { 'erased.spared': spared } }),
  }
  await change(db, { _id, worker }, update, session)
}

export async function findErased(db: Db, { _id }: JobDoc, session: Session): Promise<JobDoc['erased']> {
  return (await db.jobs.findOne({ _id }, { session, projection: { erased: 1 } }))?.erased
}

/** Records another piece of an export, and the position after it. @throws JobTaken */
export async function advanceExport(
  db: Db,
  { _id, worker, done }: Pick<JobDoc, '_id' | 'worker' | 'done'>,
  { piece, position, lines }: { piece: ExportPiece; position: { stage: number; after?: string }; lines: number },
): Promise<void> {
  const update = {
    $set: { updatedAt: clock.date(), leaseUntilMS: clock.now() + jobLeaseMS, attempts: 0, 'export.position': position },
    $inc: { done: lines, total: lines },
    $push: { 'export.pieces': piece },
  }
  await change(db, { _id, worker, done }, update)
}

/** Ends the job and deletes its input. @throws JobTaken */
export async function endJob(db: Db, { _id, worker, total }: JobDoc): Promise<void> {
  // `done` can lag behind `total`: the user may have left rooms by other means meanwhile.
  await change(db, { _id, worker }, { ...ending('done'), $max: { done: total } })
}

/** Fails a job started `maxAttempts` times without progress, by the stored count. @returns whether it was failed */
export async function giveUpJob(db: Db, { _id, worker = '' }: JobDoc, maxAttempts: number): Promise<boolean> {
  const filter = { _id, worker, attempts: { $gte: maxAttempts } }
  const { matchedCount } = await db.jobs.updateOne(filter, ending('failed'))
  return matchedCount > 0
}

const ofExport = { 'export.pieces': 1, 'export.position': 1 } as const

function ending(state: 'done' | 'failed') {
  const now = clock.date()
  const ended = { state, updatedAt: now, finishedAt: now, expiresAt: new Date(now.getTime() + keepMS) }
  return {
    $set: ended,
    $unset: {
      worker: 1,
      leaseUntilMS: 1,
      batch: 1,
      erasing: 1,
      user: 1,
      content: 1,
      erased: 1,
      owed: 1,
      ...ofExport,
    } as const,
  }
}

/** Deletes a finished job, unless a new job has taken its ID. */
export async function deleteEndedJob(db: Db, { _id, finishedAt }: JobDoc & { finishedAt: Date }): Promise<void> {
  await db.jobs.deleteOne({ _id, finishedAt })
}

/** Releases a job to other processes. @throws JobTaken */
export async function releaseJob(db: Db, { _id, worker }: JobDoc): Promise<void> {
  await change(db, { _id, worker }, { $set: { leaseUntilMS: 0 } })
}

/** Releases a failed job with exponential backoff: `pauseMS`, doubled at most `maxDoublings` times. @throws JobTaken */
export async function postponeJob(
  db: Db,
  { _id, worker }: JobDoc,
  pauseMS: number,
  maxDoublings: number,
): Promise<void> {
  const doublings = { $max: [0, { $min: [{ $subtract: ['$attempts', 1] }, maxDoublings] }] }
  const leaseUntilMS = { $add: [clock.now(), { $multiply: [pauseMS, { $pow: [2, doublings] }] }] }
  await change(db, { _id, worker }, [{ $set: { leaseUntilMS } }])
}

/** The IDs of the jobs that erase these users, by `key(app, user)`. */
export async function findErasures(db: Db, users: readonly string[], session?: Session): Promise<Map<string, string>> {
  if (users.length === 0) return new Map()
  const found = await db.jobs
    .find({ erasing: { $in: [...users] } }, { ...(session && { session }) })
    .project<{ id: string; erasing: string }>({ _id: 0, id: 1, erasing: 1 })
    .toArray()
  return new Map(found.map(({ id, erasing }) => [erasing, id]))
}

async function change(
  db: Db,
  { _id, worker, done }: { _id: string; worker: string | undefined; done?: number },
  update: object,
  session?: Session,
): Promise<void> {
  const filter = { _id, worker: worker ?? '', ...(done !== undefined && { done }) }
  const { matchedCount } = await db.jobs.updateOne(filter, update, { ...(session && { session }) })
  if (matchedCount === 0) throw new JobTaken(`another process has taken job ${_id}`)
}
