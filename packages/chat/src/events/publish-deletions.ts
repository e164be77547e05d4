import { allMessages } from '@parley/contracts/operations/messages/deletions'
import type { EventPayload } from '@parley/contracts/socket/server-events'
import type { NotedEvent } from '@parley/db/events/pending-events'
import type { RoomDoc } from '@parley/db/rooms/rooms'
import { roomLane } from './lanes.ts'

/** A room, which may have a deletion of all its messages that the bus does not have. */
export type MaybeDeletedIn = Pick<RoomDoc, '_id' | 'app' | 'id' | 'erasing'>

/** The event of a deletion of all messages of a room, under the ID of the deletion. */
export function allDeleted(
  { app, id }: Pick<RoomDoc, 'app' | 'id'>,
  deletion: string,
  upTo: Pick<EventPayload<'messageDeleted'>, 'upToSeq' | 'upToMS'>,
  by?: string,
): NotedEvent {
  const payload: EventPayload<'messageDeleted'> = { room: id, messageID: allMessages, ...upTo }
  const event = { kind: 'event', id: deletion, to: { app, room: id }, event: 'messageDeleted' } as const
  const { upToSeq } = upTo
  const last = upToSeq !== undefined && { upToSeq }
  return { ...event, json: JSON.stringify(payload), ...last, ...(by !== undefined && { by }) }
}

/** The lanes in which the deletions wait that the bus does not have. */
export function lanesOfDeletions(rooms: readonly MaybeDeletedIn[]): string[] {
  return rooms.flatMap(({ app, id, erasing }) => (erasing?.unpublished === undefined ? [] : [roomLane(app, id)]))
}
