import type { Db } from '../connect.ts'
import type { MessageDoc } from '../messages/messages.ts'
import type { RoomDoc } from '../rooms/rooms.ts'
import type { TailAppend } from './append-statement.ts'

/** What MongoDB has given a message of a room that several gateways send to. */
export type Place = Pick<MessageDoc, 'seq' | 'createdAtMS'>

/** The places of messages that their rooms have, in the tail or settled, by ID. */
export async function findPlaces(db: Db, appends: readonly TailAppend[]): Promise<Map<string, Place>> {
  const ids = appends.flatMap(({ messages }) => messages.map(({ message }) => message._id))
  const tail = { $filter: { input: { $ifNull: ['$tail', []] }, cond: { $in: ['$$this._id', ids] } } }
  const projection = {
    tail: { $map: { input: tail, in: { _id: '$$this._id', seq: '$$this.seq', createdAtMS: '$$this.createdAtMS' } } },
  }
  // The tails first: what leaves them meanwhile is in `messages` before.
  const rooms = await db.rooms
    .find<Pick<RoomDoc, 'tail'>>({ _id: { $in: appends.map(({ room }) => room._id) } }, { projection })
    .toArray()
  const places = new Map<string, Place>(rooms.flatMap((room) => (room.tail ?? []).map((entry) => [entry._id, entry])))
  const missing = ids.filter((id) => !places.has(id))
  if (missing.length === 0) return places
  const settled = await db.messages
    .find({ _id: { $in: missing } }, { projection: { seq: 1, createdAtMS: 1 } })
    .toArray()
  for (const message of settled) places.set(message._id, message)
  return places
}
