import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { listMessages } from '@parley/contracts/operations/messages/messages'
import { currentMessage, type Deletions } from '@parley/db/messages/deleted-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { type PageSize, pageLength } from '@parley/db/messages/history'
import type { HistoryPosition, PageStart, TimeField } from '@parley/db/messages/page-start'
import type { UserDoc } from '@parley/db/users/documents'
import { parseTime } from '../../read-time.ts'
import { messageJson } from '../../views/message.ts'
import type { Quoted } from './quoted-messages.ts'

export type HistoryQuery = Input<typeof listMessages>['query']

/** Size limit of a page in bytes of messages, even below its `limit`. */
const maxBytes = 4 * 1024 * 1024

export function toPageSize({ limit, timeRangeField }: HistoryQuery): { field: TimeField; size: PageSize } {
  return { field: timeRangeField === 'updatedAt' ? 'updatedAtMS' : 'createdAtMS', size: { limit, maxBytes } }
}

/**
 * The start of the page and its opposite bound. All given cursors apply together.
 * @param find returns a cursor's message, or null if the room or thread has none with this ID
 * @throws ApiError INVALID_QUERY, MESSAGE_NOT_FOUND, and the errors of `find`
 */
export async function pageStart(
  query: HistoryQuery,
  field: TimeField,
  find: (id: string) => Promise<MessageDoc | null>,
): Promise<PageStart> {
  const { afterTime } = query
  const positionOf = async (name: 'beforeMessage' | 'afterMessage'): Promise<HistoryPosition | undefined> => {
    const id = query[name]
    if (id === undefined) return undefined
    const message = await find(id)
    if (!message) throw new ApiError('MESSAGE_NOT_FOUND', `${name}: no message ${JSON.stringify(id)} in this history`)
    return { timeMS: message[field], id }
  }
  const before = await positionOf('beforeMessage')
  const after = await positionOf('afterMessage')
  const time = afterTime === undefined ? undefined : parseTime('afterTime', afterTime)
  const isTimeLater = time !== undefined && (!after || time >= after.timeMS)
  if (before) {
    const bound = isTimeLater ? { timeMS: time, id: behindAll } : after
    return { from: 'before', ...before, ...(bound && { bound }) }
  }
  if (isTimeLater) return { from: 'afterTime', timeMS: time }
  if (after) return { from: 'after', ...after, ...(time !== undefined && { whole: true as const }) }
  return { from: 'end' }
}

/** Sorts after all IDs, which are hexadecimal. */
const behindAll = 'g'

/** The page as JSON text, and the IDs of messages that the caller deleted for themselves. */
export function historyPage(
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
