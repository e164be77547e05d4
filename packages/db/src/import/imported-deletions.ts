import { clock } from '@parley/async/clock'
import { inParts } from '@parley/async/in-parts'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'
import { findMessages } from '../message-buckets/find-messages.ts'
import type { UserDeletionDoc } from '../messages/documents.ts'
import { deletionKey, deletionOfAllKey } from '../messages/user-deletions.ts'
import { insertMissing, runWrites } from '../transactions/run-writes.ts'
import { retryBusy } from './retry-busy.ts'

/** Messages that a user deleted for themselves: one by ID, or all of the room up to a seq. */
export interface ImportedDeletion {
  app: string
  room: string
  user: string
  message: string | undefined
  upToSeq: number | undefined
}

/** Limited by the four seconds that a command may take. */
const perCommand = 500

/** Adds deletions of inserted messages. Members' unread counts become exact when the members are saved. Idempotent. */
export async function saveImportedDeletions(db: Db, deletions: readonly ImportedDeletion[]): Promise<void> {
  for (const part of inParts(deletions, perCommand)) await save(db, part)
}

async function save(db: Db, deletions: readonly ImportedDeletion[]): Promise<void> {
  const ids = deletions.flatMap(({ message }) => message ?? [])
  const messages = new Map((await findMessages(db, [...new Set(ids)])).map((message) => [message._id, message]))
  const deletedAtMS = clock.now()
  const [single, ofAll, hidden] = [new Map<string, UserDeletionDoc>(), [] as object[], [] as object[]]
  for (const { app, room, user, message: id, upToSeq } of deletions) {
    const message = id === undefined ? undefined : messages.get(id)
    if (message) {
      const { roomKey, seq, sender } = message
      const _id = deletionKey(app, room, user, message._id)
      single.set(_id, { _id, roomKey, user, message: message._id, seq, sender, deletedAtMS })
    }
    if (upToSeq !== undefined) {
      const [q, of] = [{ _id: deletionOfAllKey(app, room, user) }, { roomKey: key(app, room), user, message: '' }]
      ofAll.push({ q, u: { $max: { seq: upToSeq }, $setOnInsert: { ...of, deletedAtMS } }, upsert: true })
    }
    const seq = message?.threadOf === undefined ? (message?.seq ?? upToSeq) : undefined
    const ofMember = { _id: key(app, room, user) }
    if (seq !== undefined) hidden.push({ q: ofMember, u: { $max: { hiddenUpToSeq: seq } } })
  }
  const { userDeletions, memberships } = db
  if (single.size > 0) await retryBusy(() => insertMissing(db, userDeletions.collectionName, [...single.values()]))
  if (ofAll.length > 0) {
    await retryBusy(() => runWrites(db, 'update', userDeletions.collectionName, ofAll, 'durable'))
  }
  if (hidden.length > 0) {
    await retryBusy(() => runWrites(db, 'update', memberships.collectionName, hidden, 'durable'))
  }
}
