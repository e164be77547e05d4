import { clock } from '@parley/async/clock'
import type { Filter, IndexDescription } from 'mongodb'
import { digest } from '../apps/apps.ts'
import { claimDocs } from '../claim-docs.ts'
import type { Db, Session } from '../db.ts'
import { releaseFiles } from '../files/files.ts'
import { findPage, findTimePage, type PagePosition, type TimePage } from '../find-page.ts'
import { key } from '../keys.ts'
import { inTransaction, KeyTaken } from '../transactions/transaction.ts'
import { lockUser } from '../users/lock-user.ts'
import type { ScheduledDoc } from './documents.ts'

export const scheduledIndexes: IndexDescription[] = [
  { key: { nextMS: 1 }, partialFilterExpression: { nextMS: { $exists: true } } },
  { key: { senderKey: 1, sendAtMS: 1, id: 1 } },
  { key: { app: 1, sendAtMS: 1, id: 1 } },
  { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  { key: { 'attachments.fileID': 1 }, partialFilterExpression: { attachments: { $exists: true } } },
]

/** Longer than a send, which gives up after 10 s. */
export const scheduledLeaseMS = 15_000
export const refusedKeptMS = 30 * 24 * 60 * 60 * 1_000

/**
 * Stores a scheduled message if its sender exists, so that an erasure finds it.
 * @returns the message, or the existing one with the same idempotency key
 */
export async function insertScheduled(db: Db, scheduled: ScheduledDoc): Promise<ScheduledDoc | 'no sender'> {
  try {
    const insert = async (session: Session) => {
      if (!(await lockUser(db, scheduled.app, scheduled.sender, session))) return 'no sender'
      await db.scheduled.insertOne(scheduled, { session })
      return scheduled
    }
    // One at a time per sender: each locks the same user.
    return await inTransaction(db, insert, { lock: `schedule ${scheduled.senderKey}` })
  } catch (error) {
    const existing = error instanceof KeyTaken && (await findScheduled(db, scheduled.app, scheduled.id))
    if (!existing) throw error
    return existing
  }
}

/**
 * Stores system messages in the transaction of the membership change that they announce. They are already leased: this
 * process sends them after the commit, or another one after the lease expires.
 */
export async function insertSystemMessages(db: Db, messages: readonly ScheduledDoc[], session: Session): Promise<void> {
  if (messages.length > 0) await db.scheduled.insertMany([...messages], { session })
}

/** The ID of the message scheduled under an idempotency key. Deriving it makes the key unique, also across shards. */
export function scheduledIdOf(
  { app, room, sender }: Pick<ScheduledDoc, 'app' | 'room' | 'sender'>,
  by: string,
): string {
  return digest(key(app, sender, room, by)).slice(0, 24)
}

/** The number of a sender's scheduled or refused messages, counted up to `max`. */
export async function countScheduled(db: Db, app: string, sender: string, max: number): Promise<number> {
  return db.scheduled.countDocuments({ senderKey: key(app, sender) }, { limit: max })
}

/** Messages scheduled by a user or the integrator. */
const byRequest = { isSystem: { $exists: false } } as const

/** A page of scheduled messages of a sender or an app, next due first. */
export async function findScheduledPage(
  db: Db,
  { app, sender }: { app: string; sender: string | undefined },
  { after, limit }: { after?: PagePosition | undefined; limit: number },
): Promise<ScheduledDoc[]> {
  const of: Filter<ScheduledDoc> = sender === undefined ? { app } : { senderKey: key(app, sender) }
  return findPage(db.scheduled, { ...of, ...byRequest }, { time: 'sendAtMS', id: 'id', order: 1 }, { after, limit })
}

export async function findScheduled(db: Db, app: string, id: string): Promise<ScheduledDoc | null> {
  return db.scheduled.findOne({ _id: key(app, id), ...byRequest })
}

/** Excludes messages in flight, which can be neither changed nor cancelled. */
const waiting = { claim: { $exists: false } } as const

/** Matches the message only if its time, refusal, files and origin are unchanged since it was read. */
const asRead = ({ sendAtMS, refused, attachments, byClient }: ScheduledDoc) => ({
  sendAtMS,
  'refused.atMS': refused ? refused.atMS : { $exists: false },
  attachments: attachments ?? { $exists: false },
  byClient: byClient ?? { $exists: false },
})

/**
 * Changes a scheduled or refused message, and schedules it. Null if it is in flight, gone, or changed since it was
 * read. An empty list of attachments removes them.
 */
export async function changeScheduled(
  db: Db,
  read: ScheduledDoc,
  set: Partial<ScheduledDoc> & Pick<ScheduledDoc, 'sendAtMS'>,
  session: Session,
): Promise<ScheduledDoc | null> {
  const { attachments, ...others } = set
  const update = {
    $set: { ...others, ...(attachments?.length && { attachments }), nextMS: set.sendAtMS },
    $unset: {
      refused: 1 as const,
      expiresAt: 1 as const,
      ...(attachments?.length === 0 && { attachments: 1 as const }),
    },
  }
  const filter = { _id: read._id, ...waiting, ...asRead(read) }
  return db.scheduled.findOneAndUpdate(filter, update, { returnDocument: 'after', session })
}

/** Cancels a scheduled or refused message; null if it is in flight, or gone. */
export async function cancelScheduled(
  db: Db,
  { _id }: Pick<ScheduledDoc, '_id'>,
  session: Session,
): Promise<ScheduledDoc | null> {
  return db.scheduled.findOneAndDelete({ _id, ...waiting }, { session })
}

/** Leases due messages. No other process can claim them until the lease expires. */
export async function claimDue(db: Db, claim: string, limit: number): Promise<ScheduledDoc[]> {
  return claimDocs(db.scheduled, { claim, limit, leaseMS: scheduledLeaseMS })
}

/** Does nothing once another process has claimed it: by now a later message can have the ID. */
export async function removeSent(db: Db, { _id, claim = '' }: ScheduledDoc): Promise<void> {
  await db.scheduled.deleteOne({ _id, claim })
}

/**
 * Schedules a retry by any process.
 * @param isWritten 'maybe': the message stays in flight, so that it cannot be cancelled once it is in the room
 */
export async function postponeScheduled(
  db: Db,
  { _id, claim = '' }: ScheduledDoc,
  nextMS: number,
  isWritten: 'no' | 'maybe',
): Promise<void> {
  await db.scheduled.updateOne(
    { _id, claim },
    { $set: { nextMS }, ...(isWritten === 'no' && { $unset: { claim: 1 } }) },
  )
}

export async function markRefused(
  db: Db,
  { _id, claim = '' }: ScheduledDoc,
  { code, message }: { code: string; message: string },
): Promise<void> {
  const atMS = clock.now()
  const refused = { code, message, atMS }
  await db.scheduled.updateOne(
    { _id, claim },
    { $set: { refused, expiresAt: new Date(atMS + refusedKeptMS) }, $unset: { nextMS: 1, claim: 1 } },
  )
}

export async function isScheduled(db: Db, { app, id }: { app: string; id: string }): Promise<boolean> {
  const withFile = { 'attachments.fileID': id, attachments: { $exists: true }, app }
  return (await db.scheduled.findOne(withFile, { projection: { _id: 1 } })) !== null
}

export async function deleteScheduledOf(db: Db, app: string, sender: string): Promise<void> {
  const ofSender = { senderKey: key(app, sender) }
  const withFiles = await db.scheduled.find({ ...ofSender, attachments: { $exists: true } }).toArray()
  await db.scheduled.deleteMany(ofSender)
  const files = withFiles.flatMap(({ attachments = [] }) => attachments)
  await releaseFiles(db, app, files)
}

/** A page of a sender's refused messages, of all rooms or one, latest send time first. */
export async function findRefused(
  db: Db,
  { app, sender, room }: { app: string; sender: string; room?: string | undefined },
  page: TimePage,
): Promise<ScheduledDoc[]> {
  const refused: Filter<ScheduledDoc> = {
    senderKey: key(app, sender),
    refused: { $exists: true },
    ...(room !== undefined && { room }),
  }
  return findTimePage(db.scheduled, refused, { time: 'sendAtMS', id: 'id' }, page, { projection: { content: 0 } })
}
