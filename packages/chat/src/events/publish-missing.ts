import { key } from '@parley/db/keys'
import { findMessages } from '@parley/db/messages/messages'
import { findRoomWithBuffer, unflushedOf, untilDurable } from '@parley/db/room-buffer/buffer'
import { findUsers } from '@parley/db/users/users'
import type { Chat } from '../chat.ts'
import { findQuoted } from '../messages/reading/quoted-messages.ts'
import { justWritten } from './as-of-now.ts'
import { threadLane } from './lanes.ts'

/** Messages of a room, or of the thread about one of its messages, by their seq. */
export interface MissingMessages {
  app: string
  room: string
  thread: string | undefined
  fromSeq: number
  toSeq: number
}

/**
 * Publishes messages that were accepted and whose own gateway is late with their events, or died: the bus has each once.
 * Returns whether any may come of it. What has left the buffer of its room was published, or is noted for the relay.
 */
export async function publishMissing(
  { db, outbox }: Chat,
  { app, room: id, thread, fromSeq, toSeq }: MissingMessages,
): Promise<boolean> {
  if (thread !== undefined) return outbox.publishLanes([threadLane(app, id, thread)])
  const room = await findRoomWithBuffer(db, app, id)
  const entries = (room?.buffer ?? []).filter(({ seq }) => seq >= fromSeq && seq <= toSeq)
  if (!room || entries.length === 0) return false
  const ids = new Set(entries.map(({ _id }) => _id))
  const [stored] = await Promise.all([findMessages(db, [...ids]), untilDurable(db)])
  const settled = new Set(stored.map(({ _id }) => _id))
  const unsettled = unflushedOf(room).filter(({ _id }) => ids.has(_id) && !settled.has(_id))
  const messages = [...stored, ...unsettled].toSorted((one, other) => one.seq - other.seq)
  if (!(await outbox.publishDeletions([room]))) return false
  const [users, quoted] = await Promise.all([
    findUsers(db, app, new Set(messages.map(({ sender }) => sender))),
    findQuoted(db, messages, new Map([[key(app, id), room]])),
  ])
  const now = justWritten({
    messages: messages.map((message) => ({ message, sender: users.get(message.sender), quoted })),
  })
  const events = messages.map(({ _id: message }) => {
    return { kind: 'message', message, event: 'chat message', isSoonAfter: true } as const
  })
  return outbox.publishEvents(events, now)
}
