import { clock } from '@parley/async/clock'
import type { PushNetwork } from '@parley/contracts/resources/push/network'
import type { IndexDescription } from 'mongodb'
import type { Db } from '../db.ts'
import { idsOf, key, keyRange } from '../keys.ts'
import { ignoreDuplicates } from '../server-errors.ts'
import type { PushDoc } from './documents.ts'

/** Longer than the stream can redeliver an event. */
export const keepPushesSeconds = 4 * 24 * 60 * 60

export const pushIndexes: IndexDescription[] = [
  { key: { network: 1, dueAtMS: 1 }, partialFilterExpression: { dueAtMS: { $exists: true } }, name: 'due' },
  { key: { at: 1 }, expireAfterSeconds: keepPushesSeconds },
]
export const pushContentIndexes: IndexDescription[] = [{ key: { at: 1 }, expireAfterSeconds: keepPushesSeconds }]

/**
 * Stores the content of pushes, unless it exists.
 * @returns whether there is content to send; it is empty if PUSH_GENERIC decided the message's pushes
 */
export async function insertPushContent(db: Db, _id: string, json: string): Promise<boolean> {
  const isNew = await ignoreDuplicates(db.pushContents.insertOne({ _id, json, at: clock.date() }))
  return isNew || (await db.pushContents.countDocuments({ _id, json: '' }, { limit: 1 })) === 0
}

/**
 * Records that all pushes of messages are stored, so that events replayed from MongoDB are not decided again. Not
 * journaled: if a record is lost, its message is decided again, and each device still gets one push.
 */
export async function recordPushesDecided(db: Db, contents: readonly string[]): Promise<void> {
  const now = clock.date()
  await db.pushContents.bulkWrite(
    contents.map((_id) => ({
      updateOne: {
        filter: { _id },
        update: { $set: { isDecided: true as const }, $setOnInsert: { json: '', at: now } },
        upsert: true,
      },
    })),
    { ordered: false, writeConcern: { w: 1, journal: false } },
  )
}

export async function isPushDecided(db: Db, content: string): Promise<boolean> {
  return (await db.pushContents.countDocuments({ _id: content, isDecided: true }, { limit: 1 })) > 0
}

/** Stores due pushes. Idempotent: pushes from an earlier delivery of the event stay unchanged. */
export async function insertPushes(db: Db, pushes: readonly PushDoc[]): Promise<void> {
  if (pushes.length > 0) await ignoreDuplicates(db.pushes.insertMany(pushes, { ordered: false }))
}

export async function findDuePushes(db: Db, network: PushNetwork, limit: number): Promise<PushDoc[]> {
  return db.pushes
    .find({ network, dueAtMS: { $lte: clock.now() } })
    .hint('due')
    .sort({ dueAtMS: 1 })
    .limit(limit)
    .toArray()
}

/**
 * Claims pushes that no other process has claimed, and returns their IDs. If the response is lost, retry with the same
 * `takenBy`.
 *
 * Not journaled, for speed: pushes claimed in the last 100 ms before a database crash can be sent again. Devices show
 * them once, by the collapse ID. If the caller is killed, pushes that it claimed but did not send are lost.
 */
export async function takePushes(db: Db, ids: readonly string[], takenBy: string): Promise<ReadonlySet<string>> {
  const { modifiedCount } = await db.pushes.updateMany(
    { _id: { $in: [...ids] }, dueAtMS: { $lte: clock.now() } },
    { $set: { takenBy }, $unset: { dueAtMS: 1 } },
    { writeConcern: { w: 1, journal: false } },
  )
  if (modifiedCount === ids.length) return new Set(ids)
  const taken = await db.pushes.find({ _id: { $in: [...ids] }, takenBy }, { projection: { _id: 1 } }).toArray()
  return new Set(idsOf(taken))
}

export interface PushReturn {
  id: string
  dueAtMS: number
  /** 0 if the push was not sent. */
  triesMore: 0 | 1
  lastError: string
  doubtedAtMS?: number
}

/** Makes claimed pushes that the network did not accept due again. */
export async function returnPushes(db: Db, returned: readonly PushReturn[]): Promise<void> {
  const updates = returned.map(({ id, triesMore, ...set }) => ({
    updateOne: {
      filter: { _id: id },
      update: { $set: set, $unset: { takenBy: 1 as const, isHeld: 1 as const }, $inc: { tries: triesMore } },
    },
  }))
  if (updates.length > 0) await db.pushes.bulkWrite(updates, { ordered: false })
}

/** Holds due pushes, each until its time, because their network is stopped for their app. */
export async function holdPushes(db: Db, untilMS: ReadonlyMap<string, number>): Promise<void> {
  const nowMS = clock.now()
  const updates = Array.from(untilMS, ([_id, dueAtMS]) => ({
    updateOne: {
      filter: { _id, dueAtMS: { $lte: nowMS } },
      update: { $set: { dueAtMS, isHeld: true as const, lastError: 'stopped' } },
    },
  }))
  await db.pushes.bulkWrite(updates, { ordered: false })
}

/** Makes a network's held pushes due, of one app or all. Scans all waiting pushes of the network. */
export async function releasePushes(db: Db, network: PushNetwork, app?: string): Promise<void> {
  const held = { network, dueAtMS: { $exists: true }, isHeld: true as const, ...(app !== undefined && { app }) }
  await db.pushes.updateMany(held, { $set: { dueAtMS: clock.now() }, $unset: { isHeld: 1 } }, { hint: 'due' })
}

export async function findPushContents(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const found = await db.pushContents.find({ _id: { $in: [...ids] } }).toArray()
  return new Map(found.map(({ _id, json }) => [_id, json]))
}

/** No message has this key. */
export function reminderContent(app: string, message: string): string {
  return key(app, '', 'reminder', message)
}

/** Stores the current content of a reminder, and removes the pushes of an earlier reminder. */
export async function putReminderContent(
  db: Db,
  { content: _id, json, atMS }: { content: string; json: string; atMS: number },
  pushes: readonly Pick<PushDoc, '_id'>[],
): Promise<void> {
  await db.pushContents.replaceOne({ _id }, { json, at: clock.date() }, { upsert: true })
  const ids = pushes.map((push) => push._id)
  await db.pushes.deleteMany({ _id: { $in: ids }, at: { $lt: new Date(atMS) } })
}

export async function replacePushContents(db: Db, contents: readonly { id: string; json: string }[]): Promise<void> {
  if (contents.length === 0) return
  const updates = contents.map(({ id, json }) => ({ updateOne: { filter: { _id: id }, update: { $set: { json } } } }))
  await db.pushContents.bulkWrite(updates, { ordered: false })
}

export async function findPushesTo(db: Db, content: string, user: string): Promise<PushDoc[]> {
  return db.pushes.find({ _id: keyRange(key(content, user)) }).toArray()
}

/** Pushes by ID: key(content, user, device). */
export async function findPushes(db: Db, ids: readonly string[]): Promise<PushDoc[]> {
  return ids.length === 0 ? [] : db.pushes.find({ _id: { $in: [...ids] } }).toArray()
}

export function deviceOf({ _id, content, user }: Pick<PushDoc, '_id' | 'content' | 'user'>): string {
  return _id.slice(key(content, user).length + 1)
}

export async function countDuePushes(db: Db, network: PushNetwork): Promise<number> {
  return db.pushes.countDocuments({ network, dueAtMS: { $exists: true } }, { hint: 'due' })
}
