import type { Db } from '../db.ts'
import type { MembershipDoc, RoomDoc } from './documents.ts'

/** The fields of a room that delivery markers need. Its buffer has the senders of the newest messages. */
export type DeliveryRoom = Pick<RoomDoc, '_id' | 'deletedAt' | 'memberCount' | 'seq' | 'buffer'>

export async function findDeliveryRooms(db: Db, keys: readonly string[]): Promise<Map<string, DeliveryRoom>> {
  const projection = { deletedAt: 1, memberCount: 1, seq: 1, 'buffer._id': 1, 'buffer.seq': 1, 'buffer.sender': 1 }
  const found = await db.rooms.find({ _id: { $in: [...keys] } }, { projection }).toArray()
  return new Map(found.map((room) => [room._id, room]))
}

type Marker = Pick<MembershipDoc, '_id' | 'deliveredSeq' | 'readSeq'>

/** The markers of these memberships, `key(app, room, user)`. */
export async function findDeliveredMarkers(db: Db, keys: readonly string[]): Promise<Map<string, Marker>> {
  const found = await db.memberships
    .find({ _id: { $in: [...keys] } })
    .project<Marker>({ deliveredSeq: 1, readSeq: 1 })
    .toArray()
  return new Map(found.map((marker) => [marker._id, marker]))
}

/** Moves markers forward, never back. */
export async function moveDeliveredMarkers(db: Db, seqs: ReadonlyMap<string, number>): Promise<void> {
  if (seqs.size === 0) return
  await db.memberships.bulkWrite(
    [...seqs].map(([_id, seq]) => ({ updateOne: { filter: { _id }, update: { $max: { deliveredSeq: seq } } } })),
    { ordered: false },
  )
}
