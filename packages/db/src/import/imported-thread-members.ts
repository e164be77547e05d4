import type { NotificationsOfRoom } from '@parley/contracts/resources/push/notification-settings'
import type { Db, Session } from '../db.ts'
import { key } from '../keys.ts'
import { findMessages } from '../message-buckets/find-messages.ts'
import type { MembershipDoc } from '../rooms/documents.ts'
import { lockRoom } from '../rooms/lock-room.ts'
import { currentMarker } from '../rooms/memberships.ts'
import { countedThread } from '../threads/thread.ts'
import { countUncountedAfter, sumOf } from '../unread/uncounted.ts'
import { inTransactionWhenBusy } from './retry-busy.ts'

export interface ImportedThreadMember {
  app: string
  room: string
  /** ID of the thread's root message. */
  root: string
  user: string
  /** Defaults to the time of the last message. */
  joinedAtMS: number | undefined
  readSeq: number
  notify: NotificationsOfRoom | undefined
}

/** Adds users to threads; existing users keep their settings, and the later of both read positions. Idempotent. */
export async function saveImportedThreadMembers(db: Db, members: readonly ImportedThreadMember[]): Promise<void> {
  for (const ofRoom of Map.groupBy(members, ({ room }) => room).values()) {
    await inTransactionWhenBusy(db, (session) => saveOfRoom(db, ofRoom, session))
  }
}

async function saveOfRoom(db: Db, members: readonly ImportedThreadMember[], session: Session): Promise<void> {
  const [first] = members
  if (!first) return
  const { app, room: id } = first
  // Concurrent sends and deletions wait for this transaction.
  const room = await lockRoom(db, app, id, session)
  if (!room || room.deletedAt) return
  const ids = [...new Set(members.map(({ root }) => root))]
  const roots = new Map((await findMessages(db, ids, { session })).map((root) => [root._id, root]))
  const keys = members.map(({ root, user }) => key(app, id, root, user))
  const existing = await db.threadMembers.find({ _id: { $in: keys } }, { session }).toArray()
  const known = new Map(existing.map((member) => [member._id, member]))
  const changes: { _id: string; marker: Pick<MembershipDoc, 'readSeq' | 'uncounted'>; others: object }[] = []
  for (const { root: rootId, user, joinedAtMS, readSeq: read, notify } of members) {
    const root = roots.get(rootId)
    if (!root?.thread) continue
    const thread = countedThread(root, room)
    const [_id, joinedAt] = [key(app, id, rootId, user), joinedAtMS ?? root.thread.lastMessageAtMS]
    const fresh = { app, room: id, roomKey: thread._id, user, userKey: key(app, user), joinedAtMS: joinedAt }
    const others = { ...fresh, ...(notify && { notify }) }
    const before = currentMarker(known.get(_id) ?? { readSeq: 0, uncounted: 0 }, thread)
    const readSeq = Math.max(before.readSeq, read)
    const parts = await countUncountedAfter(db, { ...fresh, ...known.get(_id) }, readSeq, thread.seq, [], session)
    changes.push({ _id, marker: { readSeq, uncounted: sumOf(parts) }, others })
  }
  if (changes.length === 0) return
  await db.threadMembers.bulkWrite(
    changes.map(({ _id, marker, others }) => ({
      updateOne: { filter: { _id }, update: { $set: marker, $setOnInsert: others }, upsert: true },
    })),
    { session, ordered: false },
  )
}
