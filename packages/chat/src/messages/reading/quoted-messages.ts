import { inParts } from '@parley/async/in-parts'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { currentMessage, type Deletions } from '@parley/db/messages/deleted-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { findSentMessages } from '@parley/db/messages/messages'
import { findRoomsByKey } from '@parley/db/rooms/rooms'

/** Quoted messages by ID, in their current state. */
export type Quoted = ReadonlyMap<string, MessageDoc>

export const nothingQuoted: Quoted = new Map()

/** Bounds the memory for a page of the largest messages. */
const atOnce = 64

/**
 * Reads the quoted messages from room buffers and `messages`; costs nothing without quotes. Quotes are not stored, so a
 * deleted or recalled message leaves no trace in them.
 * @param rooms by key, if known; read after the messages, or at the same time
 */
export async function findQuoted(
  db: Db,
  messages: readonly MessageDoc[],
  rooms?: ReadonlyMap<string, Deletions>,
): Promise<Quoted> {
  const wanted = new Map(messages.flatMap((message) => quotedIn(message).map((one) => [one._id, one])))
  if (wanted.size === 0) return nothingQuoted
  const quoted = new Map<string, MessageDoc>()
  const all = [...wanted.values()]
  for (const part of inParts(all, atOnce)) {
    for (const [id, message] of await findSentMessages(db, part)) quoted.set(id, message)
  }
  const known = rooms ?? (await findRooms(db, all))
  return new Map(
    [...quoted].map(([id, message]) => [id, currentMessage(message, known.get(key(message.app, message.room)) ?? {})]),
  )
}

export function quotedBy(message: MessageDoc | undefined): Quoted {
  return message ? new Map([[message._id, message]]) : nothingQuoted
}

function quotedIn({ app, room, replyTo, thread }: MessageDoc): Pick<MessageDoc, '_id' | 'roomKey'>[] {
  const ids = [replyTo, thread?.lastMessageID].filter((id) => id !== undefined)
  return ids.map((_id) => ({ _id, roomKey: key(app, room) }))
}

async function findRooms(
  db: Db,
  messages: readonly Pick<MessageDoc, 'roomKey'>[],
): Promise<ReadonlyMap<string, Deletions>> {
  const rooms = await findRoomsByKey(db, [...new Set(messages.map(({ roomKey }) => roomKey))])
  return new Map(rooms.map((room) => [room._id, room]))
}
