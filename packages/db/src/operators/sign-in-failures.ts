import { clock } from '@parley/async/clock'
import type { IndexDescription } from 'mongodb'
import type { Db } from '../db.ts'
import type { SignInFailuresDoc } from './documents.ts'

export const signInFailureIndexes: IndexDescription[] = [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }]

/** Failures are forgotten this long after the last one. */
const forgetAfterMS = 24 * 3_600_000

export interface Backoff {
  /** Number of failures without a delay. */
  free: number
  firstMS: number
  longestMS: number
}

/**
 * Counts an attempt as failed before it is checked, so that concurrent attempts cannot bypass the wait.
 * @returns the wait in milliseconds; 0 allows the attempt
 */
export async function countAttempt(db: Db, id: string, { free, firstMS, longestMS }: Backoff): Promise<number> {
  const now = clock.date()
  const beyond = { $subtract: ['$failures', free + 1] }
  const doubled = { $multiply: [firstMS, { $pow: [2, { $min: [beyond, 20] }] }] }
  const waitMS = { $cond: [{ $lte: ['$failures', free] }, 0, { $min: [longestMS, doubled] }] }
  const keep = (name: keyof SignInFailuresDoc, other: object) => ({
    [name]: { $cond: ['$isEarly', `$${name}`, other] },
  })
  const attempt = [
    // During free failures, `waitUntil` is the time of the last attempt: a concurrent attempt is not early.
    { $set: { isEarly: { $and: [{ $gt: ['$failures', free] }, { $gt: ['$waitUntil', now] }] } } },
    { $set: keep('failures', { $add: [{ $ifNull: ['$failures', 0] }, 1] }) },
    { $set: keep('waitUntil', { $add: [now, waitMS] }) },
    { $set: { expiresAt: { $add: ['$waitUntil', forgetAfterMS] } } },
  ]
  const counted = await db.signInFailures.findOneAndUpdate({ _id: id }, attempt, {
    upsert: true,
    returnDocument: 'after',
  })
  return counted?.isEarly ? counted.waitUntil.getTime() - now.getTime() : 0
}

export async function uncountAttempt(db: Db, id: string): Promise<void> {
  await db.signInFailures.updateOne({ _id: id }, { $inc: { failures: -1 }, $set: { waitUntil: clock.date() } })
}

export async function forgetFailures(db: Db, id: string): Promise<void> {
  await db.signInFailures.deleteOne({ _id: id })
}
