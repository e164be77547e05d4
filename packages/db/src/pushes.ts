import { type IndexDescription, MongoBulkWriteError, MongoServerError } from 'mongodb'
import type { Db } from './connect.ts'

export type PushNetwork = 'apns' | 'fcm'

/**
 * One push to one device. Its document is what makes it go out once: the ID can be inserted once, and one process
 * alone takes it, before it sends. It stays when it was sent, so that an event that is delivered again finds it.
 * A process that is killed after it took a push leaves it taken: nobody can know whether the network has it, and
 * it is not sent again.
 */
export interface PushDoc {
  /** key(content, user, device) */
  _id: string
  app: string
  network: PushNetwork
  /** The PushContentDoc that says what is sent. */
  content: string
  user: string
  token: string
  topic?: string
  mentioned?: true
  badge?: number
  /** When it may be sent; absent once it was taken. */
  dueAtMS?: number
  takenBy?: string
  tries: number
  /** After this nobody wants it any more. */
  giveUpAtMS: number
  /** For the TTL. */
  at: Date
}

/** What a message or order says to all its devices: once, not once per device. */
export interface PushContentDoc {
  /** key(app, message or order) */
  _id: string
  json: string
  at: Date
}

/** Longer than the stream keeps an event that could be delivered again. */
const keepSeconds = 4 * 24 * 60 * 60

export const pushIndexes: IndexDescription[] = [
  { key: { network: 1, dueAtMS: 1 }, partialFilterExpression: { dueAtMS: { $exists: true } }, name: 'due' },
  { key: { at: 1 }, expireAfterSeconds: keepSeconds },
]
export const pushContentIndexes: IndexDescription[] = [{ key: { at: 1 }, expireAfterSeconds: keepSeconds }]

/** Notes what is to be sent; what is noted already stays as it is. */
export async function insertPushContent(db: Db, _id: string, json: string): Promise<void> {
  await ignoreDuplicates(db.pushContents.insertOne({ _id, json, at: new Date() }))
}

/** Notes pushes as due; those that are there already (an event was delivered again) stay as they are. */
export async function insertPushes(db: Db, pushes: readonly PushDoc[]): Promise<void> {
  if (pushes.length > 0) await ignoreDuplicates(db.pushes.insertMany(pushes, { ordered: false }))
}

/** The pushes of a network that are due, the longest due first. */
export async function findDuePushes(db: Db, network: PushNetwork, limit: number): Promise<PushDoc[]> {
  return db.pushes
    .find({ network, dueAtMS: { $lte: Date.now() } })
    .hint('due')
    .sort({ dueAtMS: 1 })
    .limit(limit)
    .toArray()
}

/**
 * Takes those of the pushes that nobody else has taken and answers their IDs: they are the caller's alone. With the
 * same `takenBy` it may be asked again when the answer was lost.
 *
 * Not journaled, so that it is known at once: what is taken and not sent yet when the caller is killed is lost. If the
 * database dies instead, what was taken in its last tenth of a second may be sent again; devices show that once, by its
 * collapse ID.
 */
export async function takePushes(db: Db, ids: readonly string[], takenBy: string): Promise<ReadonlySet<string>> {
  const { modifiedCount } = await db.pushes.updateMany(
    { _id: { $in: [...ids] }, dueAtMS: { $lte: Date.now() } },
    { $set: { takenBy }, $unset: { dueAtMS: 1 } },
    { writeConcern: { w: 1, journal: false } },
  )
  if (modifiedCount === ids.length) return new Set(ids)
  const taken = await db.pushes.find({ _id: { $in: [...ids] }, takenBy }, { projection: { _id: 1 } }).toArray()
  return new Set(taken.map(({ _id }) => _id))
}

export interface PushReturn {
  id: string
  dueAtMS: number
  /** 0 when it was not sent at all. */
  triesMore: 0 | 1
}

/** Gives pushes back that were taken and not accepted by the network: they are due again. */
export async function returnPushes(db: Db, returned: readonly PushReturn[]): Promise<void> {
  const updates = returned.map(({ id, dueAtMS, triesMore }) => ({
    updateOne: {
      filter: { _id: id },
      update: { $set: { dueAtMS }, $unset: { takenBy: 1 as const }, $inc: { tries: triesMore } },
    },
  }))
  if (updates.length > 0) await db.pushes.bulkWrite(updates, { ordered: false })
}

/** What is sent, by ID. */
export async function findPushContents(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const found = await db.pushContents.find({ _id: { $in: [...ids] } }).toArray()
  return new Map(found.map(({ _id, json }) => [_id, json]))
}

/** How many pushes of a network wait to be sent. */
export async function countDuePushes(db: Db, network: PushNetwork): Promise<number> {
  return db.pushes.countDocuments({ network, dueAtMS: { $exists: true } }, { hint: 'due' })
}

async function ignoreDuplicates(work: Promise<unknown>): Promise<void> {
  const duplicateKey = 11_000
  try {
    await work
  } catch (error) {
    if (error instanceof MongoBulkWriteError) {
      const failures = [error.writeErrors].flat()
      if (failures.length > 0 && failures.every(({ code }) => code === duplicateKey)) return
    } else if (error instanceof MongoServerError && error.code === duplicateKey) return
    throw error
  }
}
