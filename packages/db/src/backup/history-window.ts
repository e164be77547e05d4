import { randomUUID } from 'node:crypto'
import { clock } from '@parley/async/clock'
import { startRunning } from '@parley/async/run-every'
import type { Collection } from 'mongodb'
import type { Db } from '../db.ts'
import { isUnauthorized } from '../unauthorized.ts'

const parameter = 'minSnapshotHistoryWindowInSeconds'
/** No living backup leaves its record alone for so long. */
const leaseMS = 60_000
/** After that a user may have got the privilege. */
const withoutPrivilegeMS = 60 * 60 * 1_000

/** The windows that backups have raised, until each is put back. It belongs to the server, so no backup has it. */
export const historyCollection = 'raisedHistory'

interface RaisedHistory {
  _id: string
  /** The window before the first of the backups that run. */
  wasSeconds: number
  leaseUntilMS: number
}

const recordsIn = ({ mongo }: Db): Collection<RaisedHistory> => mongo.collection<RaisedHistory>(historyCollection)

/**
 * Lets MongoDB keep the data of each moment for so long, until `end` is called, and records the window before under a lease: after
 * a kill, lowerHistory or the end of the next backup puts it back.
 * @returns undefined without the privilege setParameter (role hostManager): then it keeps them as long as it is set to
 */
export async function raiseHistory(db: Db, seconds: number): Promise<{ end(): Promise<void> } | undefined> {
  const records = recordsIn(db)
  const _id = randomUUID()
  let isRecorded = true
  // A user that may only read raises the window without a record.
  const record = async (wasSeconds: number) => {
    const lease = { wasSeconds, leaseUntilMS: clock.now() + leaseMS }
    isRecorded = (await ifAuthorized(records.insertOne({ _id, ...lease }))) !== undefined
  }
  const now = await readWindow(db)
  const [earlier] = await records.find().sort({ wasSeconds: 1 }).limit(1).toArray()
  const known = earlier?.wasSeconds ?? now
  // Before the window is raised: a kill in between leaves a record of a window that is as it was.
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
 * Puts the window back that backups have raised, if all of them have ended or were killed.
 * @returns 'refused' without the privilege; it is due again in an hour
 */
export async function lowerHistory(db: Db): Promise<'lowered' | 'not due' | 'refused'> {
  const records = recordsIn(db)
  const all = await records.find().sort({ wasSeconds: 1 }).toArray()
  const [first] = all
  const nowMS = clock.now()
  const over = { _id: { $in: all.filter(({ leaseUntilMS }) => leaseUntilMS <= nowMS).map(({ _id }) => _id) } }
  if (!first || over._id.$in.length === 0) return 'not due'
  if (over._id.$in.length < all.length) {
    // The window of the living one is that of the first.
    await records.updateMany({ _id: { $nin: over._id.$in } }, { $min: { wasSeconds: first.wasSeconds } })
    await records.deleteMany(over)
    return 'not due'
  }
  if ((await ifAuthorized(setWindow(db, first.wasSeconds))) === undefined) {
    await records.updateMany(over, { $set: { leaseUntilMS: nowMS + withoutPrivilegeMS } })
    return 'refused'
  }
  await records.deleteMany(over)
  return 'lowered'
}

/** @returns the window before */
async function setWindow({ client }: Db, seconds: number): Promise<number> {
  return Number((await client.db('admin').command({ setParameter: 1, [parameter]: seconds }))['was'])
}

/** @returns undefined without the privilege getParameter (role clusterMonitor), which setting it does not need */
async function readWindow({ client }: Db): Promise<number | undefined> {
  const read = await ifAuthorized(client.db('admin').command({ getParameter: 1, [parameter]: 1 }))
  return read && Number(read[parameter])
}

/** @returns undefined where MongoDB refuses it for the lack of a privilege */
async function ifAuthorized<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (!isUnauthorized(error)) throw error
    return undefined
  }
}
