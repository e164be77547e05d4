import { crc32 } from 'node:zlib'
import { clock } from '@parley/async/clock'
import { ObjectId } from 'mongodb'
import type { MessageDoc } from './documents.ts'

/**
 * A message's ID says where the message is, so that finding it by ID takes no index of all messages: four groups of
 * eight hexadecimal digits with the second it was made, its seq, its room's hash, and digits that make it unique. In a
 * room, later IDs are greater. The seq is the expected one: while several gateways send to a room, MongoDB may assign a
 * later one. Imported messages have IDs of 24 digits (known-ids.ts). Buckets index the IDs of messages that are elsewhere
 * (buckets.ts).
 */
export function newMessageID({ roomKey, seq }: Pick<MessageDoc, 'roomKey' | 'seq'>): string {
  const objectID = ObjectId.generate(Math.floor(clock.now() / 1_000))
  const id = Buffer.allocUnsafe(16)
  id.set(objectID.subarray(0, 4), 0)
  id.writeUInt32BE(seq % 2 ** 32, 4)
  id.writeUInt32BE(crc32(roomKey), 8)
  id.set(objectID.subarray(-4), 12)
  return id.toString('hex')
}

/** The hash of a room's key in the IDs of its messages. Rooms can share one. */
export function roomHash(roomKey: string): string {
  return hex(crc32(roomKey))
}

/** The room's hash and the expected seq of an ID; undefined for IDs of another form. */
export function positionInID(id: string): { room: string; seq: number } | undefined {
  return own.test(id) ? { room: id.slice(16, 24), seq: Number.parseInt(id.slice(8, 16), 16) } : undefined
}

/** Unix milliseconds of the second in which an ID was made, by `newId` too; undefined for IDs of another form. */
export function timeOfID(id: string): number | undefined {
  return isMade.$regex.test(id) ? Number.parseInt(id.slice(0, 8), 16) * 1_000 : undefined
}

/** Sorts after the IDs made before the second of a time, and before those made from then on. */
export function idAt(timeMS: number): string {
  return hex(Math.floor(timeMS / 1_000))
}

const own = /^[0-9a-f]{32}$/
/** IDs of `newMessageID` and of `newId`, for queries. */
export const isMade = { $regex: /^(?:[0-9a-f]{24}|[0-9a-f]{32})$/ }

export function hex(number: number): string {
  return number.toString(16).padStart(8, '0')
}
