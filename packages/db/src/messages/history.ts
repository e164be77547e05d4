import type { Document } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { idsOf } from '../keys.ts'
import { messagesOf, perBucket } from '../message-buckets/buckets.ts'
import type { MessageBucketDoc } from '../message-buckets/documents.ts'
import { joined, readBoth } from '../message-buckets/find-messages.ts'
import type { MessageDoc } from './documents.ts'
import {
  bucketsFrom,
  filterFrom,
  hasWholeTimes,
  isForward,
  isFrom,
  orderOf,
  type PageStart,
  type TimeField,
} from './page-start.ts'

/** A room's history. Buffer, clock and seq are read together, before the flushed messages. */
interface HistoryOf {
  roomKey: string
  buffer: readonly MessageDoc[]
  /**
   * The room's latest message time when the buffer was read. Later messages are omitted, since some may be flushed
   * before earlier ones.
   */
  clockMS: number
  /** The room's last seq when the buffer was read. Messages beyond it belong to an unfinished import. */
  seq: number
}

export interface PageSize {
  /** Maximum number of messages. */
  limit: number
  /** Maximum bytes of the messages as JSON text. */
  maxBytes: number
}

/** Messages per read: enough for a page of messages of maximum size. */
const perRead = 64

export function firstRead({ limit }: PageSize): number {
  return Math.min(limit + 1, perRead)
}

export interface FoundMessages {
  /** Documents of `messages`. */
  apart: MessageDoc[]
  buckets: MessageBucketDoc[]
}

/** The first read of a page, and its limit. */
export interface FirstRead extends FoundMessages {
  max: number
}

/**
 * Pipelines on `messages` and on the buckets for the first messages of a page.
 * @param max maximum number of messages; 0 for all
 * @param upToSeq set it to read again if the result is `isBeyond`
 */
export function historyStages(
  roomKey: string,
  start: PageStart,
  field: TimeField,
  max: number,
  { clockMS = Number.MAX_SAFE_INTEGER, upToSeq, buckets = bucketsFor(max) }: ReadUpTo = {},
): { apart: Document[]; buckets: Document[] } {
  const match = filterFrom(roomKey, start, field, { timeMS: clockMS, seq: upToSeq })
  const limited = (limit: number) => (limit > 0 ? [{ $limit: limit }] : [])
  return {
    apart: [{ $match: match }, { $sort: orderOf(start, field) }, ...limited(max)],
    buckets: [
      { $match: bucketsFrom(roomKey, start) },
      { $sort: isForward(start) ? { lastMS: 1, number: 1 } : { firstMS: -1, number: -1 } },
      ...limited(buckets),
    ],
  }
}

interface ReadUpTo {
  /** The room's clock. */
  clockMS?: number
  upToSeq?: number | undefined
  /** Maximum number of buckets; 0 for all. */
  buckets?: number
}

/** The number of buckets that hold `max` seqs. One more, since the first may overlap the page by one seq only. */
function bucketsFor(max: number): number {
  return max === 0 ? 0 : Math.ceil(max / perBucket) + 1
}

/**
 * Reads the messages for a page of a room's history, ordered by (time field, _id): latest first, or oldest first after
 * a message or time. Returns at least as many as pageLength needs; a page after a time has all messages of its last
 * time.
 *
 * @param first the first read by historyStages, consistent with the room's buffer and clock
 */
export async function readHistory(
  db: Db,
  { roomKey, buffer, clockMS, seq }: HistoryOf,
  start: PageStart,
  field: TimeField,
  { limit, maxBytes }: PageSize,
  first: FirstRead,
  session?: Session,
): Promise<MessageDoc[]> {
  const forward = isForward(start)
  const read = async (from: PageStart, max: number, buckets: number) => {
    const find = (upToSeq?: number) => {
      const stages = historyStages(roomKey, from, field, max, { clockMS, upToSeq, buckets })
      return readBoth(db, stages.buckets, stages.apart, { session })
    }
    const isFirst = from === start && buckets === bucketsFor(first.max)
    const found = isFirst ? first : await find()
    return isBeyond(found.apart, seq) ? find(seq) : found
  }
  const find = async (from: PageStart, max: number) => {
    const isWanted = isFrom(from, field)
    for (let buckets = bucketsFor(max); ; buckets *= 4) {
      const found = await read(from, max, buckets)
      const inBuckets = found.buckets.flatMap(messagesOf).filter((one) => isWanted(one) && one.createdAtMS <= clockMS)
      const flushed = sorted(joined(inBuckets, found.apart), field, forward)
      const isAll = buckets === 0 || found.buckets.length < buckets
      const known = isAll ? flushed : flushed.filter(isBefore(found.buckets.at(-1), field, forward))
      if (isAll || known.length >= max) {
        return withBuffer(known, buffer.filter(isWanted), { field, forward, max })
      }
    }
  }

  const page: MessageDoc[] = []
  let bytes = 0
  for (let from = start; page.length <= limit && bytes <= maxBytes; ) {
    const max = from === start ? first.max : Math.min(limit + 1 - page.length, perRead)
    const next = await find(from, max)
    page.push(...next)
    bytes += next.reduce((sum, message) => sum + storedBytes(message), 0)
    const last = next.at(-1)
    if (!last || next.length < max) return page
    const position = { timeMS: last[field], id: last._id }
    const bound = start.from === 'before' && start.bound ? { bound: start.bound } : {}
    from = forward ? { from: 'after', ...position } : { from: 'before', ...position, ...bound }
  }

  const last = page.at(-1)
  if (!last || !hasWholeTimes(start)) return page
  const lastTimeFrom = page.findIndex((message) => message[field] === last[field])
  const isTooMuch = lastTimeFrom > 0 && (lastTimeFrom >= limit || bytes > maxBytes)
  if (isTooMuch) return page.slice(0, lastTimeFrom)
  return [...page, ...(await find({ from: 'sameTime', forward, timeMS: last[field], id: last._id }, 0))]
}

/** Whether a message is beyond the seq of its room or thread. */
export function isBeyond(messages: readonly Pick<MessageDoc, 'seq'>[], seq: number): boolean {
  return messages.some((message) => message.seq > seq)
}

/** Like readHistory, for a thread, which has no buffer. Reads in the session's snapshot. */
export async function readThreadHistory(
  db: Db,
  { roomKey, seq }: Pick<HistoryOf, 'roomKey' | 'seq'>,
  start: PageStart,
  field: TimeField,
  size: PageSize,
  session: Session,
): Promise<MessageDoc[]> {
  const max = firstRead(size)
  const stages = historyStages(roomKey, start, field, max)
  const apart = await db.messages.aggregate<MessageDoc>(stages.apart, { session }).toArray()
  const of = { roomKey, seq, buffer: [], clockMS: Number.MAX_SAFE_INTEGER }
  return readHistory(db, of, start, field, size, { apart, buckets: [], max }, session)
}

/**
 * Merges flushed messages with the unflushed ones of the buffer; returns the first `max`, or all for 0. The buffer was
 * read first, so messages that left it since are among the flushed ones.
 */
function withBuffer(
  flushed: MessageDoc[],
  buffer: readonly MessageDoc[],
  { field, forward, max }: { field: TimeField; forward: boolean; max: number },
): MessageDoc[] {
  const existing = new Set(idsOf(flushed))
  const unflushed = buffer.filter(({ _id }) => !existing.has(_id))
  const all = unflushed.length === 0 ? flushed : sorted([...flushed, ...unflushed], field, forward)
  return max === 0 ? all : all.slice(0, max)
}

function sorted(messages: readonly MessageDoc[], field: TimeField, forward: boolean): MessageDoc[] {
  const direction = forward ? 1 : -1
  return messages.toSorted((a, b) => direction * (a[field] - b[field] || (a._id < b._id ? -1 : 1)))
}

/** Whether a message precedes all messages of the buckets after `last`, in page order. */
function isBefore(last: MessageBucketDoc | undefined, field: TimeField, forward: boolean) {
  return (message: MessageDoc) => {
    if (!last) return true
    return forward ? message[field] < last.lastMS : message[field] > last.firstMS
  }
}

/**
 * The number of messages in a page: at most the limit and maximum bytes, but at least one. A page after a time never
 * ends between messages of the same time, so that the time of its last message is an exact cursor. It adds all messages
 * of a time together, so it can exceed the limit, and for its first time also the maximum bytes.
 */
export function pageLength(
  messages: readonly { timeMS: number; bytes: number }[],
  start: PageStart,
  { limit, maxBytes }: PageSize,
): number {
  const whole = hasWholeTimes(start)
  let length = 0
  let bytes = 0
  while (length < Math.min(limit, messages.length)) {
    const { timeMS } = messages[length] ?? { timeMS: 0 }
    const next = whole ? endOfTime(messages, length, timeMS) : length + 1
    for (const message of messages.slice(length, next)) bytes += message.bytes
    if (length > 0 && bytes > maxBytes) break
    length = next
  }
  return length
}

/** The index after the last message with this time, from `at` on. */
function endOfTime(messages: readonly { timeMS: number }[], at: number, timeMS: number): number {
  const end = messages.findIndex((message, i) => i > at && message.timeMS !== timeMS)
  return end === -1 ? messages.length : end
}

/** A lower bound of the size of the message as JSON text: the fields that can be large. */
function storedBytes({ content, mentions, reactions }: MessageDoc): number {
  const lists = mentions || reactions ? JSON.stringify([mentions, reactions]) : ''
  return Buffer.byteLength(content ?? '') + Buffer.byteLength(lists)
}
