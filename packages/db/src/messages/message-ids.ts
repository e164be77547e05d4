import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { clock } from '@parley/async/clock'
import type { MessageDoc } from './documents.ts'

/** IDs of a process in a second. */
const perSecond = 0x1_0000
/** A clock that was put back by less than this is waited for: the IDs still grow. */
const backSeconds = 5

const newProcessDigits = () => randomBytes(4).toString('hex')
let processDigits = newProcessDigits()
let last = 0

/**
 * A new message ID: 24 hexadecimal digits that grow within a process. 8 are the second, as in MongoDB's ObjectId, 4 follow from the
 * room, 8 from the process, and 4 count. So the first 12 find the few buckets that may have the message, and those of a room share
 * them.
 */
export function newMessageId(roomKey: string): string {
  const first = Math.floor(clock.now() / 1_000) * perSecond
  if (last >= first + backSeconds * perSecond) {
    processDigits = newProcessDigits()
    last = 0
  }
  last = Math.max(last + 1, first)
  const [second, count] = [hex(Math.floor(last / perSecond), 8), hex(last % perSecond, 4)]
  return `${second}${hex(crc32(roomKey) % 0x1_0000, 4)}${processDigits}${count}`
}

/** The digits of an ID by which its bucket is found; any string has some. */
export function idPrefix(id: string): string {
  return id.slice(0, 12)
}

/** A lower bound of the IDs that were made from a time on, to the second. */
export function idsFrom(ms: number): string {
  return hex(Math.floor(ms / 1_000), 8)
}

/** When a message was made, to the second, by the clock of the process that made it. */
export function madeAtMS({ _id }: Pick<MessageDoc, '_id'>): number {
  return Number.parseInt(_id.slice(0, 8), 16) * 1_000
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0')
}
