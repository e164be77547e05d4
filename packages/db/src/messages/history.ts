import type { ClientSession, Document, Filter } from 'mongodb'
import type { Db } from '../db.ts'
import type { MessageDoc } from './documents.ts'

export type TimeField = 'updatedAtMS' | 'createdAtMS'

/** A place in the order of a room's history: (time field, _id). */
export interface HistoryPosition {
  timeMS: number
  id: string
}

/**
 * The start of a page of history: strictly before or after a place, or after a time. `bound`: a page before a place has
 * only messages strictly after the bound. `whole`: as after a time, no page ends within one.
 */
export type PageStart =
  | { from: 'end' }
  | { from: 'afterTime'; timeMS: number }
  | ({ from: 'before'; bound?: HistoryPosition } & HistoryPosition)
  | ({ from: 'after'; whole?: true } & HistoryPosition)
  | ({ from: 'sameTime'; forward: boolean } & HistoryPosition)

/**
 * A room's history: its flushed messages, its buffer, and its clock, read with the buffer and before everything else.
 */
export interface HistoryOf {
  roomKey: string
  buffer: readonly MessageDoc[]
  /**
   * The highest message time at that moment. Later ones are left out: some of them may be flushed while earlier ones
   * are not.
   */
  clockMS: number
  /** The seq of its last message at that moment. Messages beyond belong to an unfinished import. */
  seq: number
}

export interface PageSize {
  /** Messages. */
  limit: number
  /** Bytes of the messages as JSON text. */
  maxBytes: number
}

/** Messages per read: a page's worth if each has the largest size. */
const perRead = 64

/** How many messages the first read of a page takes. */
export function firstRead({ limit }: PageSize): number {
  return Math.min(limit + 1, perRead)
}

/**
 * The stages of a pipeline on messages that finds the first of a page.
 * @param upToSeq where `isBeyond` holds for the result without it
 */
export function historyStages(
  roomKey: string,
  start: PageStart,
  field: TimeField,
  most: number,
  upToSeq?: number,
): Document[] {
  const match = filterFrom(roomKey, start, field, { timeMS: Number.MAX_SAFE_INTEGER, seq: upToSeq })
  return [{ $match: match }, { $sort: orderOf(start, field) }, { $limit: most }]
}

/**
 * The messages for a page of a room's history, by (time field, _id): latest first, or oldest first after a message or
 * time. Returns at least as many as pageLength takes: after a time, with all messages of the last time. Reads one
 * index, and examines at most one document more than it returns.
 *
 * @param first the result of historyStages at the moment of `of`, and its limit
 */
export async function readHistory(
  db: Db,
  { roomKey, buffer, clockMS, seq }: HistoryOf,
  start: PageStart,
  field: TimeField,
  { limit, maxBytes }: PageSize,
  first: { flushed: MessageDoc[]; most: number },
  session?: ClientSession,
): Promise<MessageDoc[]> {
  const forward = isForward(start)
  const findFlushed = (from: PageStart, most: number, upToSeq?: number) =>
    db.messages
      .find(filterFrom(roomKey, from, field, { timeMS: clockMS, seq: upToSeq }), { ...(session && { session }) })
      .sort(orderOf(start, field))
      .limit(most)
      .toArray()
  const find = async (from: PageStart, most: number) => {
    const found = from === start ? first.flushed : await findFlushed(from, most)
    const flushed = isBeyond(found, seq) ? await findFlushed(from, most, seq) : found
    return withBuffer(flushed, buffer.filter(isFrom(from, field)), { field, forward, most })
  }

  const read: MessageDoc[] = []
  let bytes = 0
  for (let from = start; read.length <= limit && bytes <= maxBytes; ) {
    const most = from === start ? first.most : Math.min(limit + 1 - read.length, perRead)
    const next = await find(from, most)
    read.push(...next)
    bytes += next.reduce((sum, message) => sum + storedBytes(message), 0)
    const last = next.at(-1)
    if (!last || next.length < most) return read
    const place = { timeMS: last[field], id: last._id }
    const bound = start.from === 'before' && start.bound ? { bound: start.bound } : {}
    from = forward ? { from: 'after', ...place } : { from: 'before', ...place, ...bound }
  }

  const last = read.at(-1)
  if (!last || !hasWholeTimes(start)) return read
  const lastTimeFrom = read.findIndex((message) => message[field] === last[field])
  const isTooMuch = lastTimeFrom > 0 && (lastTimeFrom >= limit || bytes > maxBytes)
  if (isTooMuch) return read.slice(0, lastTimeFrom)
  return [...read, ...(await find({ from: 'sameTime', forward, timeMS: last[field], id: last._id }, 0))]
}

/** Whether there is something that the room or thread has not reached. */
export function isBeyond(messages: readonly Pick<MessageDoc, 'seq'>[], seq: number): boolean {
  return messages.some((message) => message.seq > seq)
}

/** The same for a thread, which has no buffer, as it was at the moment of the session. */
export async function readThreadHistory(
  db: Db,
  { roomKey, seq }: Pick<HistoryOf, 'roomKey' | 'seq'>,
  start: PageStart,
  field: TimeField,
  size: PageSize,
  session: ClientSession,
): Promise<MessageDoc[]> {
  const most = firstRead(size)
  const stages = historyStages(roomKey, start, field, most)
  const flushed = await db.messages.aggregate<MessageDoc>(stages, { session }).toArray()
  const of = { roomKey, seq, buffer: [], clockMS: Number.MAX_SAFE_INTEGER }
  return readHistory(db, of, start, field, size, { flushed, most }, session)
}

/**
 * Flushed messages, merged with unflushed ones of the buffer; the first `most`, or with 0 all. The buffer was read
 * before: messages that have left it since are flushed.
 */
function withBuffer(
  flushed: MessageDoc[],
  buffer: readonly MessageDoc[],
  { field, forward, most }: { field: TimeField; forward: boolean; most: number },
): MessageDoc[] {
  const there = new Set(flushed.map(({ _id }) => _id))
  const unflushed = buffer.filter(({ _id }) => !there.has(_id))
  if (unflushed.length === 0) return flushed
  const direction = forward ? 1 : -1
  const all = [...flushed, ...unflushed].toSorted(
    (a, b) => direction * (a[field] - b[field] || (a._id < b._id ? -1 : 1)),
  )
  return most === 0 ? all : all.slice(0, most)
}

/**
 * How many of the messages make a page: as many as fit, one at least, up to the limit. A page after a time never ends
 * between two messages of the same time, so that the time of its last message is an exact cursor: it takes all messages
 * of a time together, while it has fewer messages than the limit and they fit; those of the first time at any size.
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

/** Where the messages end that have this time, from the one at `at` on. */
function endOfTime(messages: readonly { timeMS: number }[], at: number, timeMS: number): number {
  const end = messages.findIndex((message, i) => i > at && message.timeMS !== timeMS)
  return end === -1 ? messages.length : end
}

/** Where a reader goes by messages, each is an exact cursor; a time is one only with all its messages. */
function hasWholeTimes(start: PageStart): boolean {
  return start.from === 'afterTime' || (start.from === 'after' && start.whole === true)
}

function isForward({ from }: PageStart): boolean {
  return from === 'after' || from === 'afterTime'
}

function orderOf(start: PageStart, field: TimeField): Record<string, 1 | -1> {
  return isForward(start) ? { [field]: 1, _id: 1 } : { [field]: -1, _id: -1 }
}

function filterFrom(
  roomKey: string,
  start: PageStart,
  field: TimeField,
  upTo: { timeMS: number; seq: number | undefined },
): Filter<MessageDoc> {
  const upToMS = upTo.timeMS
  // Only where it is needed: the planner might take another index for it.
  const all = { roomKey, ...(upTo.seq !== undefined && { seq: { $lte: upTo.seq } }) }
  if (start.from === 'end') return { ...all, [field]: { $lte: upToMS } }
  if (start.from === 'afterTime') return { ...all, [field]: { $gt: start.timeMS, $lte: upToMS } }
  if (start.from === 'sameTime') {
    return { ...all, [field]: start.timeMS, _id: { [start.forward ? '$gt' : '$lt']: start.id } }
  }
  if (start.from === 'before' && start.bound) return between(all, field, start.bound, start)
  const than = start.from === 'before' ? '$lt' : '$gt'
  // Each branch has the full condition, so that the planner merges two index scans instead of sorting.
  return {
    $or: [
      { ...all, [field]: start.timeMS, _id: { [than]: start.id } },
      { ...all, [field]: { [than]: start.timeMS, $lte: upToMS } },
    ],
  }
}

/** Messages strictly between two positions, by branches as below. */
function between(
  all: Filter<MessageDoc>,
  field: TimeField,
  after: HistoryPosition,
  before: HistoryPosition,
): Filter<MessageDoc> {
  if (after.timeMS > before.timeMS) return { ...all, _id: { $in: [] } }
  if (after.timeMS === before.timeMS) return { ...all, [field]: after.timeMS, _id: { $gt: after.id, $lt: before.id } }
  return {
    $or: [
      { ...all, [field]: before.timeMS, _id: { $lt: before.id } },
      { ...all, [field]: { $gt: after.timeMS, $lt: before.timeMS } },
      { ...all, [field]: after.timeMS, _id: { $gt: after.id } },
    ],
  }
}

/** The same of a message that is at hand. */
function isFrom(start: PageStart, field: TimeField): (message: MessageDoc) => boolean {
  if (start.from === 'end') return () => true
  const { timeMS } = start
  if (start.from === 'afterTime') return (message) => message[field] > timeMS
  const { id } = start
  const isAfter = (message: MessageDoc) => message[field] > timeMS || (message[field] === timeMS && message._id > id)
  const isBefore = (message: MessageDoc) => message[field] < timeMS || (message[field] === timeMS && message._id < id)
  if (start.from === 'sameTime') {
    return (message) => message[field] === timeMS && (start.forward ? isAfter(message) : isBefore(message))
  }
  if (start.from === 'after') return isAfter
  const isBeyondBound = start.bound ? isFrom({ from: 'after', ...start.bound }, field) : () => true
  return (message) => isBefore(message) && isBeyondBound(message)
}

/** A lower bound of the message's JSON text: only the fields that may be large. */
function storedBytes({ content, mentions, reactions }: MessageDoc): number {
  const lists = mentions || reactions ? JSON.stringify([mentions, reactions]) : ''
  return Buffer.byteLength(content ?? '') + Buffer.byteLength(lists)
}
