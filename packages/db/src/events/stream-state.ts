import { clock } from '@parley/async/clock'
import { streamName } from '@parley/contracts/bus/streams'
import type { Db } from '../db.ts'
import type { Rebuilding, StreamStateDoc } from './documents.ts'

/** Upper bound for the time from an event's creation until the stream has it. */
export const onTheWayMS = 30_000

/** Matches stream states: stream names share a prefix. */
export const streamStates = { _id: { $gte: streamName(0), $lt: `${streamName(0)}~` } }
const durable = { writeConcern: { w: 'majority', j: true } } as const

export async function findStreamState(db: Db, stream: string): Promise<StreamStateDoc | null> {
  return db.streamState.findOne({ _id: stream }, { readConcern: 'majority' })
}

export async function findStreamStates(db: Db): Promise<Map<string, StreamStateDoc>> {
  const states = await db.streamState.find(streamStates, { readConcern: 'majority' }).toArray()
  return new Map(states.map((state) => [state._id, state]))
}

/** Records a stream, unless it is already recorded. */
export async function insertStreamState(db: Db, state: StreamStateDoc): Promise<void> {
  const { _id, ...rest } = state
  await db.streamState.updateOne({ _id }, { $setOnInsert: rest }, { upsert: true, ...durable })
}

/** Records the stream's position, unless the stream was lost meanwhile. */
export async function recordProgress(
  db: Db,
  { _id, created, losses }: StreamStateDoc,
  progress: Pick<StreamStateDoc, 'seq' | 'seenAtMS' | 'handledUpToMS' | 'handledSeqs'> & {
    witness: string | undefined
  },
): Promise<void> {
  const { witness, handledSeqs = {}, ...rest } = progress
  const set = { ...rest, ...(witness !== undefined && { witness }) }
  const same = { _id, created, losses, seq: { $lte: progress.seq } }
  // `$max`, since a recreated consumer can start slightly before its last position.
  const handled = Object.fromEntries(Object.entries(handledSeqs).map(([name, seq]) => [`handledSeqs.${name}`, seq]))
  const update = { $set: set, ...(Object.keys(handled).length > 0 && { $max: handled }) }
  await db.streamState.updateOne(same, witness === undefined ? { ...update, $unset: { witness: 1 } } : update)
}

/** Records a loss and takes the repair lease; false if another process has it. */
export async function recordLoss(
  db: Db,
  { _id, created, losses }: StreamStateDoc,
  rebuilding: Rebuilding,
  repairUntilMS: number,
): Promise<boolean> {
  const { modifiedCount } = await db.streamState.updateOne(
    { _id, created, losses },
    { $set: { rebuilding, repairUntilMS, losses: losses + 1 } },
    durable,
  )
  return modifiedCount === 1
}

/** Records the stream that replaces the lost one. */
export async function recordNewStream(
  db: Db,
  { _id, losses }: Pick<StreamStateDoc, '_id' | 'losses'>,
  stream: { created: string; firstSeq: number; sinceMS: number },
): Promise<void> {
  const { created, firstSeq, sinceMS } = stream
  const now = clock.now()
  const begins = { seq: firstSeq, sinceMS }
  await db.streamState.updateOne(
    { _id, losses },
    {
      $set: { created, seq: firstSeq - 1, begins, 'rebuilding.untilMS': now, seenAtMS: now },
      $unset: { witness: 1, repairUntilMS: 1, handledSeqs: 1 },
    },
    durable,
  )
}

/** Records that a stream recorded as lost is back, unless another process has the repair lease. */
export async function recordRecovery(
  db: Db,
  { _id, losses, repairUntilMS = 0 }: Pick<StreamStateDoc, '_id' | 'losses' | 'repairUntilMS'>,
): Promise<void> {
  await db.streamState.updateOne({ _id, losses, repairUntilMS }, { $unset: { repairUntilMS: 1 } }, durable)
}

/**
 * Takes the lease to replay the events of a lost stream. Returns the stream's state, or null if there is no free lease.
 */
export async function leaseRebuilding(db: Db, leaseMS: number): Promise<StreamStateDoc | null> {
  const now = clock.now()
  const free = { ...streamStates, repairUntilMS: { $exists: false }, 'rebuilding.leaseUntilMS': { $lt: now } }
  const lease = { $set: { 'rebuilding.leaseUntilMS': now + leaseMS } }
  return db.streamState.findOneAndUpdate(free, lease, { returnDocument: 'after', ...durable })
}

/** Records a replay's progress. False if the stream was lost again, or another process took the lease and finished. */
export async function recordRebuilt(
  db: Db,
  { _id, losses }: StreamStateDoc,
  doneUpToMS: number,
  leaseUntilMS: number,
): Promise<boolean> {
  const step = { 'rebuilding.doneUpToMS': doneUpToMS, 'rebuilding.leaseUntilMS': leaseUntilMS }
  const same = { _id, losses, 'rebuilding.sinceMS': { $exists: true } }
  return (await db.streamState.updateOne(same, { $set: step }, durable)).matchedCount === 1
}

export async function endRebuilding(db: Db, { _id, losses }: StreamStateDoc, sinceMS: number): Promise<void> {
  const rebuilt = { sinceMS, endedAtMS: clock.now() }
  await db.streamState.updateOne({ _id, losses }, { $set: { rebuilt }, $unset: { rebuilding: 1 } }, durable)
}
