import { clock } from '@parley/async/clock'
import { readInParts } from '@parley/async/in-parts'
import type { Collection, Document, Filter, FindCursor } from 'mongodb'
import { collections } from '../collections.ts'
import type { Db, Session } from '../db.ts'
import type { OutboxEvent } from '../events/documents.ts'
import { removeFilesOfApp } from '../files/files-to-clear.ts'
import { idsOf, keyRange } from '../keys.ts'
import { findMessages } from '../message-buckets/find-messages.ts'
import { removeRolesIn } from '../operators/operators.ts'
import { flushApp } from '../room-buffer/flush.ts'

const perBatch = 1_000

/** Called after each batch with the number of deleted documents of the collection so far. */
export type DeletionProgress = (collection: string, deleted: number) => void

/** Invalidates the app's keys permanently. A deletion that was killed can be resumed. */
export async function markAppDeleting(db: Db, app: string, session: Session): Promise<void> {
  const ending = { $set: { deletingSince: clock.date() } }
  await db.apps.updateOne({ _id: app, deletingSince: { $exists: false } }, ending, { session })
}

/** Whether the app has documents in any collection that is searched by key range. */
export async function hasAppDocs(db: Db, app: string): Promise<boolean> {
  for (const [name, { deletion }] of Object.entries(collections)) {
    if (deletion !== 'idRange' && deletion !== 'roomKeyRange') continue
    const filter: Document = { [deletion === 'idRange' ? '_id' : 'roomKey']: keyRange(app) }
    if (await db.mongo.collection(name).findOne(filter, { projection: { _id: 1 } })) return true
  }
  return false
}

/** The number of users, rooms and messages that deleting an app would delete. */
export async function countAppDocs(db: Db, app: string): Promise<{ users: number; rooms: number; messages: number }> {
  await flushApp(db, app)
  const [users, rooms, apart, [inBuckets]] = await Promise.all([
    db.users.countDocuments({ _id: keyRange(app) }),
    db.rooms.countDocuments({ app }),
    db.messages.countDocuments({ roomKey: keyRange(app) }, { hint: { roomKey: 1, seq: 1 } }),
    db.messageBuckets
      .aggregate<{ count: number }>([
        { $match: { _id: keyRange(app) } },
        { $group: { _id: null, count: { $sum: { $size: '$messages._id' } } } },
      ])
      .toArray(),
  ])
  return { users, rooms, messages: apart + (inBuckets?.count ?? 0) }
}

export async function deleteAppTokens(db: Db, app: string): Promise<void> {
  await deletePages(db.mongo.collection('tokens'), { _id: keyRange(app) })
}

/** Deletes all of the app's data in batches, except its own document. Returns the number of deleted documents. */
export async function deleteAppDocs(db: Db, app: string, onProgress: DeletionProgress): Promise<number> {
  let total = 0
  for (const [name, { deletion }] of Object.entries(collections)) {
    const collection = db.mongo.collection(name)
    const onDeleted = (deleted: number) => onProgress(name, deleted)
    if (deletion === 'idRange') total += await deletePages(collection, { _id: keyRange(app) }, onDeleted)
    if (deletion === 'roomKeyRange') total += await deletePages(collection, { roomKey: keyRange(app) }, onDeleted)
    if (deletion === 'outbox') total += await deleteOutboxEvents(db, name, app, onDeleted)
    if (deletion === 'files') total += await removeFilesOfApp(db, app)
    if (deletion === 'roles') total += await removeRolesIn(db, app)
    if (deletion === 'calls') total += await deleteCalls(db, app, onDeleted)
  }
  return total
}

/** Deletes the app's own document, after everything else. */
export async function deleteAppDoc(db: Db, app: string): Promise<void> {
  await db.apps.deleteOne({ _id: app, deletingSince: { $exists: true } })
}

async function deletePages(
  collection: Collection,
  filter: Document,
  onDeleted: (deleted: number) => void = () => undefined,
): Promise<number> {
  let deleted = 0
  for await (const page of pagesOf(collection.find(filter, { projection: { _id: 1 } }))) {
    deleted += await deleteIds(collection, page)
    onDeleted(deleted)
  }
  return deleted
}

async function deleteIds(collection: Collection, page: readonly Document[]): Promise<number> {
  const ids = { _id: { $in: page.map(({ _id }) => _id) } } as Filter<Document>
  return (await collection.deleteMany(ids)).deletedCount
}

/** Scans all entries of a collection: there are few. One entry can hold events of several apps. */
async function deleteOutboxEvents(
  db: Db,
  name: string,
  app: string,
  onDeleted: (changed: number) => void,
): Promise<number> {
  const entries = db.mongo.collection<{ _id: string; events: OutboxEvent[] }>(name)
  let changed = 0
  for await (const page of pagesOf(entries.find({}, { projection: { 'events.json': 0 } }))) {
    const named = page.flatMap(({ events }) => events.flatMap((event) => ('message' in event ? event.message : [])))
    const own = await findMessages(db, named, { app })
    const ofApp = { $or: [{ app }, { 'to.app': app }, { message: { $in: idsOf(own) } }] }
    const ids = { _id: { $in: idsOf(page) } }
    const pull = { $pull: { events: ofApp } } as Document
    const { modifiedCount } = await entries.updateMany({ ...ids, events: { $elemMatch: ofApp } }, pull)
    await entries.deleteMany({ ...ids, events: { $size: 0 } })
    changed += modifiedCount
    if (modifiedCount > 0) onDeleted(changed)
  }
  return changed
}

/**
 * Scans all calls: they are kept for days only and have no index by app. A push call has its own queue, whose key does
 * not begin with the app, so the queue is deleted before the call. */
async function deleteCalls(db: Db, app: string, onDeleted: (deleted: number) => void): Promise<number> {
  let deleted = 0
  const calls = db.outgoingCalls.find({ app }, { projection: { queue: 1 } })
  for await (const page of pagesOf(calls)) {
    await db.callQueues.deleteMany({ _id: { $in: page.map(({ queue }) => queue) } })
    deleted += await deleteIds(db.mongo.collection('outgoingCalls'), page)
    onDeleted(deleted)
  }
  return deleted
}

function pagesOf<T>(cursor: FindCursor<T>): AsyncGenerator<T[]> {
  return readInParts(cursor.batchSize(perBatch), perBatch)
}
