import type { Db, Session } from '../db.ts'
import { idsOf } from '../keys.ts'
import { messagesOf } from '../message-buckets/buckets.ts'
import { bucketsIn, countInBuckets, findMessages } from '../message-buckets/find-messages.ts'
import { findDeletionsOfUsers } from '../messages/user-deletions.ts'
import type { MembershipDoc, RoomDoc } from '../rooms/documents.ts'
import { endInvitations } from '../rooms/invitations.ts'
import { currentMarker } from '../rooms/memberships.ts'
import { findBlocked, findFirstMembers } from '../rooms/room-members.ts'
import { newVersion } from '../rooms/version.ts'
import { countUncountedAfter, neverUnread, sumOf } from '../unread/uncounted.ts'
import { ownInBuffer } from '../unread/unread-sums.ts'
import { inTransactionWhenBusy } from './retry-busy.ts'

/** A membership from the import file; `uncounted` is computed. */
export type ImportedMembership = Omit<MembershipDoc, 'uncounted'>

/**
 * Adds members with their read positions to rooms, in one transaction. Existing members keep the later of both
 * positions. Banned and blocked members can only read. `uncounted` is computed from the messages.
 */
export async function saveImportedMembers(db: Db, members: readonly ImportedMembership[]): Promise<void> {
  await inTransactionWhenBusy(db, async (session) => {
    const keys = [...new Set(members.map(({ roomKey }) => roomKey))]
    // Update the rooms first: concurrent sends and deletions then wait for this transaction.
    await db.rooms.updateMany({ _id: { $in: keys } }, newVersion(), { session })
    const projection = { 'buffer.content': 0, 'buffer.mentions': 0 }
    const rooms = await db.rooms.find({ _id: { $in: keys } }, { session, projection }).toArray()
    const existing = await db.memberships.find({ _id: { $in: idsOf(members) } }, { session }).toArray()
    const known = new Map(existing.map((membership) => [membership._id, membership]))
    for (const room of rooms) {
      const ofRoom = members.filter(({ roomKey, _id }) => roomKey === room._id && (known.has(_id) || !isClosed(room)))
      await saveOfRoom(db, room, ofRoom, known, session)
      const added = ofRoom.filter(({ _id }) => !known.has(_id)).length
      if (added === 0) continue
      const firstMembers = await findFirstMembers(db, room, session)
      const change = { $set: { firstMembers }, $inc: { memberCount: added } }
      await db.rooms.updateOne({ _id: room._id }, change, { session })
    }
  })
}

/** Whether a user of a direct room was erased. The other one stays its only member. */
function isClosed({ roomType, pair, memberCount }: RoomDoc): boolean {
  return roomType === 'direct' && pair === undefined && memberCount > 0
}

/** How many of these memberships, by ID, are missing because a user of their direct room was erased. */
export async function countClosed(db: Db, memberships: readonly string[]): Promise<number> {
  const existing = new Set(idsOf(await db.memberships.find({ _id: { $in: [...memberships] } }).toArray()))
  const rooms = memberships.filter((id) => !existing.has(id)).map((id) => id.slice(0, id.lastIndexOf('\0')))
  const found = await db.rooms.find({ _id: { $in: rooms } }, { projection: { buffer: 0 } }).toArray()
  const closed = new Set(idsOf(found.filter(isClosed)))
  return rooms.filter((room) => closed.has(room)).length
}

async function saveOfRoom(
  db: Db,
  room: RoomDoc,
  members: readonly ImportedMembership[],
  known: ReadonlyMap<string, MembershipDoc>,
  session: Session,
): Promise<void> {
  const { deletedUpToSeq = 0 } = room
  const fresh = members
    .filter(({ _id }) => !known.has(_id))
    .map((member) => Object.assign({}, member, { readSeq: Math.max(member.readSeq, deletedUpToSeq) }))
  const uncounted = await countUncounted(db, room, fresh, session)
  const users = fresh.map(({ user }) => user)
  const blocked = await findBlocked(db, [{ room, users: bothOf(room) ?? users }], session)
  const added = fresh.map((member) =>
    Object.assign(
      { hiddenUpToSeq: room.seq },
      member,
      { uncounted: uncounted.get(member.user) ?? 0 },
      blocked.get(member._id),
    ),
  )
  if (added.length > 0) {
    await db.memberships.insertMany(added, { session })
    await endInvitations(db, room, users, session)
  }
  for (const member of members) {
    const before = known.get(member._id)
    if (!before) continue
    const readSeq = Math.max(member.readSeq, currentMarker(before, room).readSeq)
    const own = ownInBuffer(member.user, room)
    const parts =
      readSeq < room.seq ? await countUncountedAfter(db, before, readSeq, room.seq, own, session) : undefined
    const change = { readSeq, uncounted: parts ? sumOf(parts) : 0 }
    if (before.readSeq === readSeq && before.uncounted === change.uncounted) continue
    await db.memberships.updateOne({ _id: member._id }, { $set: change }, { session })
  }
}

function bothOf({ pair }: RoomDoc): string[] | undefined {
  return pair?.split('\0').slice(1)
}

/**
 * Per new member, the number of messages after the read position that do not count as unread: the member's own, those
 * deleted for all or recalled, and those deleted for themselves as a former member. A fixed number of queries per room.
 */
async function countUncounted(
  db: Db,
  { _id: roomKey, seq: last, buffer = [] }: RoomDoc,
  members: readonly ImportedMembership[],
  session: Session,
): Promise<Map<string, number>> {
  const unread = members.filter(({ readSeq }) => readSeq < last)
  const uncounted = new Map<string, number>()
  if (unread.length === 0) return uncounted
  const users = unread.map(({ user }) => user)
  const afterSeq = Math.min(...unread.map(({ readSeq }) => readSeq))
  const hidden = await findDeletionsOfUsers(db, roomKey, users, afterSeq, session)
  const hiddenUpTo = new Map(hidden.flatMap(({ user, seq, isOfAll }) => (isOfAll ? [[user, seq]] : [])))
  /** Messages up to this seq do not count. */
  const from = new Map(unread.map(({ user, readSeq }) => [user, Math.max(readSeq, hiddenUpTo.get(user) ?? 0)]))
  const isAfter = (user: string, seq: number) => seq > (from.get(user) ?? last)
  const add = (user: string, count = 1) => uncounted.set(user, (uncounted.get(user) ?? 0) + count)
  for (const { user, readSeq } of unread) add(user, (from.get(user) ?? readSeq) - readSeq)

  const after = { $gt: afterSeq }
  const fields = { session, projection: { _id: 0, sender: 1, seq: 1 } }
  // The flush counts buffered messages.
  const inBuffer = new Set(buffer.map(({ seq }) => seq))
  const own = db.messages.find({ roomKey, sender: { $in: users }, seq: after }, fields)
  for await (const { sender, seq } of own) if (isAfter(sender, seq) && !inBuffer.has(seq)) add(sender)
  const buckets = db.messageBuckets.find(bucketsIn(roomKey, { after: afterSeq, upTo: last }), { session })
  for await (const bucket of buckets) {
    const sent = messagesOf(bucket).filter(({ sender, seq }) => isAfter(sender, seq) && !inBuffer.has(seq))
    for (const { sender } of sent) add(sender)
  }
  const deleted = new Set<number>()
  for await (const { sender, seq } of db.messages.find(neverUnread(roomKey, after), fields)) {
    deleted.add(seq)
    for (const user of users) if (isAfter(user, seq) && user !== sender) add(user)
  }
  for (const { user, seq, sender } of hidden) {
    if (isAfter(user, seq) && user !== sender && !deleted.has(seq)) add(user)
  }
  return uncounted
}

export async function findSeqs(db: Db, ids: readonly string[]): Promise<Map<string, number>> {
  const found = await findMessages(db, ids)
  return new Map(found.map(({ _id, seq }) => [_id, seq]))
}

/** The number of a room's messages up to `seq`; equal to `seq` if there are no gaps. */
export async function countUpToSeq(db: Db, roomKey: string, seq: number): Promise<number> {
  const apart = await db.messages.countDocuments({ roomKey, seq: { $gte: 1, $lte: seq } })
  return apart + (await countInBuckets(db, roomKey, { after: 0, upTo: seq }, {}))
}

/** How many of these users exist, not counting groups. */
export async function countUsers(db: Db, keys: readonly string[]): Promise<number> {
  return db.users.countDocuments({ _id: { $in: [...keys] }, groupMembers: { $exists: false } })
}
