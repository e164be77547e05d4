import { randomUUID } from 'node:crypto'
import { clock } from '@parley/async/clock'
import { startRunning } from '@parley/async/run-every'
import type { Collection } from 'mongodb'
import type { Db } from '../db.ts'
import { isServerError } from '../server-errors.ts'

const parameter = 'minSnapshotHistoryWindowInSeconds'
const leaseMS = 60_000
/** Retry interval while the user lacks the privilege. */
const withoutPrivilegeMS = 60 * 60 * 1_000

/** One record per running or killed backup that raised the window. Server state, so it is not backed up. */
export const historyCollection = 'raisedHistory'

interface RaisedHistory {
  _id: string
  /** The window before the first running backup raised it. */
  wasSeconds: number
  leaseUntilMS: number
}

const recordsIn = ({ mongo }: Db): Collection<RaisedHistory> => mongo.collection<RaisedHistory>(historyCollection)

/**
 * Raises MongoDB's snapshot history window until `end` is called. The former window is recorded under a lease: if the
 * backup is killed, lowerHistory or the end of the next backup restores it.
 * @returns undefined without the privilege setParameter (role hostManager); the window then stays as it is
 */
export async function raiseHistory(db: Db, seconds: number): Promise<{ end(): Promise<void> } | undefined> {
  const records = recordsIn(db)
  const _id = randomUUID()
  let isRecorded = true
  // A read-only user raises the window without a record.
  const record = async (wasSeconds: number) => {
    const lease = { wasSeconds, leaseUntilMS: clock.now() + leaseMS }
    isRecorded = (await ifAuthorized(records.insertOne({ _id, ...lease }))) !== undefined
  }
  const now = await readWindow(db)
  const [earlier] = await records.find().sort({ wasSeconds: 1 }).limit(1).toArray()
  const known = earlier?.wasSeconds ?? now
  // Record before raising: after a kill in between, restoring the recorded window is a no-op.
  if (known !== undefined) await record(known)
  const before = await ifAuthorized(setWindow(db, seconds))
  if (before === undefined) {
    if (isRecorded) await records.deleteOne({ _id })
    return undefined
  }
  if (known === undefined) await record(before)
  const extend = () => records.updateOne({ _id }, { $set: { leaseUntilMS: clock.now() + leaseMS } })
  const extending = isRecorded ? startRunning(leaseMS / 6, extend, () => undefined) : undefined
  return {
    async end(): Promise<void> {
      if (!extending) return void (await setWindow(db, known ?? before))
      await extending.stop()
      await records.updateOne({ _id }, { $set: { leaseUntilMS: 0 } })
      await lowerHistory(db)
    },
  }
}

/**
 * Restores the history window once every backup that raised it has ended or was killed.
 * @returns 'refused' without the privilege; retried in an hour
 */
export async function lowerHistory(db: Db): Promise<'lowered' | 'not due' | 'refused'> {
  const records = recordsIn(db)
  const all = await records.find().sort({ wasSeconds: 1 }).toArray()
  const [first] = all
  const nowMS = clock.now()
  const expired = { _id: { $in: all.filter(({ leaseUntilMS }) => leaseUntilMS <= nowMS).map(({ _id }) => _id) } }
  if (!first || expired._id.$in.length === 0) return 'not due'
  if (expired._id.$in.length < all.length) {
    // Hand the original window on to the backups that still run.
    await records.updateMany({ _id: { $nin: expired._id.$in } }, { $min: { wasSeconds: first.wasSeconds } })
    await records.deleteMany(expired)
    return 'not due'
  }
  if ((await ifAuthorized(setWindow(db, first.wasSeconds))) === undefined) {
    await records.updateMany(expired, { $set: { leaseUntilMS: nowMS + withoutPrivilegeMS } })
    return 'refused'
  }
  await records.deleteMany(expired)
  return 'lowered'
}

/** @returns the former window */
async function setWindow({ client }: Db, seconds: number): Promise<number> {
  return Number((await client.db('admin').command({ setParameter: 1, [parameter]: seconds }))['was'])
}

/** @returns undefined without the privilege getParameter (role clusterMonitor), which setParameter does not include */
async function readWindow({ client }: Db): Promise<number | undefined> {
  const read = await ifAuthorized(client.db('admin').command({ getParameter: 1, [parameter]: 1 }))
  return read && Number(read[parameter])
}

/** @returns undefined if MongoDB refuses the command for a missing privilege */
async function ifAuthorized<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (!isServerError(error, 'Unauthorized')) throw error
    return undefined
  }
}
