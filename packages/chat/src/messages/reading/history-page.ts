import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { listMessages } from '@parley/contracts/operations/messages/messages'
import { currentMessage, type Deletions } from '@parley/db/messages/deleted-messages'
import { type PageSize, type PageStart, pageLength, type TimeField } from '@parley/db/messages/history'
import type { MessageDoc } from '@parley/db/messages/messages'
import type { UserDoc } from '@parley/db/users/users'
import { parseTime } from '../../read-time.ts'
import { messageJson } from '../../views/message.ts'
import type { Quoted } from './quoted-messages.ts'

/** Which page of the history of a room or a thread. */
export type HistoryQuery = Input<typeof listMessages>['query']

/** A page has at most this many bytes of messages, even below its limit. */
const maxBytes = 4 * 1024 * 1024

export function toPageSize({ limit, timeRangeField }: HistoryQuery): { field: TimeField; size: PageSize } {
  return { field: timeRangeField === 'updatedAt' ? 'updatedAtMS' : 'createdAtMS', size: { limit, maxBytes } }
}

/**
 * Where the page begins.
 * @param find returns the message of a cursor
 * @throws ApiError INVALID_QUERY, and what `find` throws
 */
export async function pageStart(
  query: HistoryQuery,
  field: TimeField,
  find: (id: string) => Promise<MessageDoc>,
): Promise<PageStart> {
  const { beforeMessage, afterMessage, afterTime } = query
  if ([beforeMessage, afterMessage, afterTime].filter((cursor) => cursor !== undefined).length > 1) {
    throw new ApiError('INVALID_QUERY', 'give only one of beforeMessage, afterMessage and afterTime')
  }
  if (afterTime !== undefined) return { from: 'afterTime', timeMS: parseTime('afterTime', afterTime) }
  const id = beforeMessage ?? afterMessage
  if (id === undefined) return { from: 'end' }
  const message = await find(id)
  return { from: beforeMessage === undefined ? 'after' : 'before', timeMS: message[field], id }
}

/** The page that these messages make: as JSON text, and which of them the caller deleted for themselves. */
export function toPage(
  messages: readonly MessageDoc[],
  about: { room: Deletions; users: ReadonlyMap<string, UserDoc>; quoted: Quoted; hidden: ReadonlySet<string> },
  { start, field, size }: { start: PageStart; field: TimeField; size: PageSize },
): { data: string; userDeletedIDs: string[] } {
  const { room, users, quoted, hidden } = about
  const texts = messages.map((message) => messageJson(currentMessage(message, room), users.get(message.sender), quoted))
  const sizes = messages.map((message, i) => ({ timeMS: message[field], bytes: Buffer.byteLength(texts[i] ?? '') }))
  const length = pageLength(sizes, start, size)
  const userDeletedIDs = messages.slice(0, length).flatMap(({ _id }) => (hidden.has(_id) ? [_id] : []))
  return { data: `[${texts.slice(0, length).join(',')}]`, userDeletedIDs }
}
