import type { Filter } from 'mongodb'
import { ofRoom } from '../keys.ts'
import type { MessageBucketDoc } from '../message-buckets/documents.ts'
import type { MessageDoc } from './documents.ts'

export type TimeField = 'updatedAtMS' | 'createdAtMS'

/** A position in a room's history, which is ordered by (time field, _id). */
export interface HistoryPosition {
  timeMS: number
  id: string
}

/**
 * The start of a page of history: strictly before or after a position, or after a time. `bound`: the page has only
 * messages strictly after the bound. `whole`: the page does not end between messages of the same time, as for
 * `afterTime`.
 */
export type PageStart =
  | { from: 'end' }
  | { from: 'afterTime'; timeMS: number }
  | ({ from: 'before'; bound?: HistoryPosition } & HistoryPosition)
  | ({ from: 'after'; whole?: true } & HistoryPosition)
  | ({ from: 'sameTime'; forward: boolean } & HistoryPosition)

export function bucketsFrom(roomKey: string, start: PageStart): Filter<MessageBucketDoc> {
  const all = ofRoom(roomKey)
  if (start.from === 'end') return all
  const { timeMS } = start
  if (start.from === 'afterTime') return { ...all, lastMS: { $gt: timeMS } }
  if (start.from === 'after') return { ...all, lastMS: { $gte: timeMS } }
  const until = { ...all, firstMS: { $lte: timeMS } }
  if (start.from === 'sameTime') return { ...until, lastMS: { $gte: timeMS } }
  return start.bound ? { ...until, lastMS: { $gte: start.bound.timeMS } } : until
}

/** Whether a page must have all messages of its last time: the next page then starts after that time. */
export function hasWholeTimes(start: PageStart): boolean {
  return start.from === 'afterTime' || (start.from === 'after' && start.whole === true)
}

export function isForward({ from }: PageStart): boolean {
  return from === 'after' || from === 'afterTime'
}

export function orderOf(start: PageStart, field: TimeField): Record<string, 1 | -1> {
  return isForward(start) ? { [field]: 1, _id: 1 } : { [field]: -1, _id: -1 }
}

export function filterFrom(
  roomKey: string,
  start: PageStart,
  field: TimeField,
  upTo: { timeMS: number; seq: number | undefined },
): Filter<MessageDoc> {
  const upToMS = upTo.timeMS
  // Only if needed: with a condition on `seq`, the planner might choose another index.
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

/** Messages strictly between two positions, in branches as in filterFrom. */
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

/** The filter of filterFrom, for a message in memory. */
export function isFrom(start: PageStart, field: TimeField): (message: MessageDoc) => boolean {
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
