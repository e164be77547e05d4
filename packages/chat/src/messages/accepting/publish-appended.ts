import { soonMS } from '@parley/bus/events/publish'
import { key } from '@parley/db/keys'
import type { TailAppend } from '@parley/db/sending/append-statement'
import type { UserDoc } from '@parley/db/users/users'
import { justWritten } from '../../events/as-of-now.ts'
import type { Outbox } from '../../events/outbox.ts'
import { quotedBy } from '../reading/quoted-messages.ts'
import type { AtPoint, Unsettled } from './settle-appended.ts'

/** The profiles of senders by key(app, user). */
type Senders = ReadonlyMap<string, UserDoc>

/**
 * Begins to publish after the responses of this turn of the event loop: writing to the bus wakes its server, which takes the
 * core that the sender's response waits for. What one turn takes goes out in one write.
 */
export function afterResponses(
  publish: (one: Unsettled, senders: Senders) => Promise<void>,
): (one: Unsettled, senders: Senders) => void {
  let taken: [Unsettled, Senders][] = []
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

/** The events of an append. All but the first follow a message that is published with them. */
export function eventsOf({ room, messages, isShared }: TailAppend): Unsettled['events'] {
  return messages.map(({ message: { _id, createdAtMS } }, i) => {
    const isSoonAfter = i === 0 && (isShared || createdAtMS < room.clockMS + soonMS)
    return { kind: 'message', message: _id, event: 'chat message', ...(isSoonAfter && { isSoonAfter }) }
  })
}

/** Publishes the messages of an append; what the bus does not accept is noted when it is settled. Never fails. */
export async function publishAppended(
  { outbox, at }: { outbox: Outbox; at: AtPoint },
  one: Unsettled,
  senders: Senders,
): Promise<void> {
  const { room, messages: sent } = one.append
  // After the pending deletion of all messages of the room; if the bus does not accept it, the relay publishes both, in this order.
  if (!(await outbox.publishDeletions([room]))) return
  const docs = sent.map(({ message, quoted }) => {
    return { message, sender: senders.get(key(message.app, message.sender)), quoted: quotedBy(quoted) }
  })
  one.isPublished = await outbox.publishEvents(one.events, justWritten({ messages: docs }))
  if (one.isPublished && one.note !== undefined) outbox.forget(one.note)
  if (one.isPublished) await at('published')
}
