import { publishedWithinMS } from '@parley/bus/events/publish'
import { key } from '@parley/db/keys'
import type { RoomAppend } from '@parley/db/room-buffer/append'
import type { UserDoc } from '@parley/db/users/documents'
import { justWritten } from '../events/current-docs.ts'
import type { Outbox } from '../events/outbox.ts'
import { quotedBy } from '../messages/reading/quoted-messages.ts'
import type { AtPoint, NewMessageEvent, Unflushed } from './flush-queue.ts'

/** Profiles of senders by key(app, user). */
type Senders = ReadonlyMap<string, UserDoc>

/**
 * Publishes after the responses of this turn of the event loop. A write to the bus wakes its server, which would take
 * the core that the sender's response needs. Everything from one turn goes out in one write.
 */
export function afterResponses(
  publish: (one: Unflushed, senders: Senders) => Promise<void>,
): (one: Unflushed, senders: Senders) => void {
  let taken: [Unflushed, Senders][] = []
  const publishTaken = () => {
    const all = taken
    taken = []
    for (const [one, senders] of all) void publish(one, senders)
  }
  return (one, senders) => {
    if (taken.length === 0) setImmediate(publishTaken)
    taken.push([one, senders])
  }
}

/**
 * The events of an append. A node may hear only the later ones: each of them can follow a message of another gateway,
 * which may have died before it published what was in the buffer.
 */
export function eventsOf({ room, messages, isShared }: RoomAppend): NewMessageEvent[] {
  const first = messages[0]?.message.createdAtMS ?? 0
  const isBuffered = (room.bufferBytes ?? 0) > 0
  const mayOvertake = (isShared || isBuffered || first < room.lastMessageAtMS + publishedWithinMS) && {
    mayOvertake: true as const,
  }
  return messages.map(({ message: { _id } }) => ({
    kind: 'message',
    message: _id,
    event: 'chat message',
    ...mayOvertake,
  }))
}

/** Publishes the messages of an append. Events that the bus does not accept go to the outbox at the flush. Never fails. */
export async function publishAppended(
  { outbox, at }: { outbox: Outbox; at: AtPoint },
  one: Unflushed,
  senders: Senders,
): Promise<void> {
  const { messages: sent } = one.append
  // Joins and a pending deletion of all messages go first. If the bus does not accept them, the relay publishes all in order.
  if ((await one.before) === false) return
  const docs = sent.map(({ message, quoted }) => {
    return { message, sender: senders.get(key(message.app, message.sender)), quoted: quotedBy(quoted) }
  })
  const atMS = sent[0]?.message.createdAtMS
  one.isPublished = await outbox.publishEvents(one.events, justWritten({ messages: docs }), atMS)
  if (one.isPublished && one.entry !== undefined) outbox.forget(one.entry)
  if (one.isPublished) await at('published')
}
