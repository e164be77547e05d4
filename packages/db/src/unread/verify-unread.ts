import type { Db } from '../db.ts'
import { idsOf, key, keyRange, ofRoom } from '../keys.ts'
import { findRoomHeads, ownUnflushed } from '../room-buffer/buffer.ts'
import type { MembershipDoc, RoomDoc } from '../rooms/documents.ts'
import { inSnapshot } from '../transactions/snapshot.ts'
import { inTransaction } from '../transactions/transaction.ts'
import { countUnread, findRoomsToSum, ownInBuffer, sumUnread } from './unread-sums.ts'

/** A member with a stored unread count that does not match the messages. */
export interface WrongUnread extends Pick<MembershipDoc, '_id' | 'app' | 'room' | 'user'> {
  unread: number
  countedUnread: number
}

export interface Verified {
  /** Members whose unread count was compared with the messages. */
  verified: number
  wrong: WrongUnread[]
}

/**
 * Compares stored unread counts with the messages, in one snapshot. Read-only.
 * @param memberships IDs; those that do not exist or belong to deleted rooms are skipped
 * @param maxMessages skips members with more messages after their marker
 */
export async function verifyUnread(
  db: Db,
  memberships: readonly string[],
  maxMessages = Number.POSITIVE_INFINITY,
): Promise<Verified> {
  return inSnapshot(db, async (session) => {
    const found = await db.memberships.find({ _id: { $in: [...memberships] } }, { session }).toArray()
    const keys = [...new Set(found.map(({ roomKey }) => roomKey))]
    const rooms = await findRoomsToSum(db, keys, session)
    const result: Verified = { verified: 0, wrong: [] }
    for (const membership of found) {
      const room = rooms.get(membership.roomKey)
      if (!room) continue
      const { seq, readSeq, unread } = sumUnread(membership, room)
      if (seq - readSeq > maxMessages) continue
      const { unread: countedUnread } = await countUnread(db, membership, room, session)
      result.verified++
      const { _id, app, room: id, user } = membership
      if (countedUnread !== unread) result.wrong.push({ _id, app, room: id, user, unread, countedUnread })
    }
    return result
  })
}

/** Corrects a member's unread count from the messages. Restarts on concurrent changes. @returns whether it was wrong */
export async function repairUnread(db: Db, { _id, app, room: id }: WrongUnread): Promise<boolean> {
  return inTransaction(db, async (session) => {
    const room = await findRoomHeads(db, app, id, session)
    const membership = await db.memberships.findOne({ _id }, { session })
    if (!room || room.deletedAt || !membership) return false
    const { seq, readSeq, unread } = sumUnread(membership, room)
    const { unread: counted } = await countUnread(db, membership, room, session)
    if (counted === unread) return false
    const own = ownInBuffer(membership.user, room)
    const uncounted = seq - readSeq - counted - ownUnflushed({ ...membership, readSeq }, own)
    await db.memberships.updateOne({ _id }, { $set: { readSeq, uncounted } }, { session })
    return true
  })
}

export async function sampleRooms(db: Db, count: number): Promise<Pick<RoomDoc, '_id' | 'memberCount'>[]> {
  const fields = { $project: { memberCount: 1 } }
  return db.rooms.aggregate<Pick<RoomDoc, '_id' | 'memberCount'>>([{ $sample: { size: count } }, fields]).toArray()
}

export async function findMembershipIds(db: Db, roomKey: string, skip: number, limit: number): Promise<string[]> {
  const found = await db.memberships
    .find(ofRoom(roomKey), { projection: { _id: 1 } })
    .sort({ joinedAtMS: 1, _id: 1 })
    .skip(skip)
    .limit(limit)
    .toArray()
  return idsOf(found)
}

export async function* pageMembershipIds(
  db: Db,
  { app, room }: { app: string; room?: string | undefined },
  perPage: number,
): AsyncGenerator<string[]> {
  const { $gt: first, $lt } = keyRange(room === undefined ? app : key(app, room))
  // Skip bans from the app: their keys have an empty room.
  let $gt = room === undefined ? key(app, '\u0001') : first
  for (;;) {
    const page = await db.memberships
      .find({ _id: { $gt, $lt } }, { projection: { _id: 1 } })
      .sort({ _id: 1 })
      .limit(perPage)
      .toArray()
    const last = page.at(-1)
    if (!last) return
    yield idsOf(page)
    $gt = last._id
  }
}
