import type { Bus } from '@parley/bus/connect'
import { type OutgoingEvent, publishEvent } from '@parley/bus/publish'
import type { ServerEvent } from '@parley/contracts/socket/server-events'
import type { Db } from '@parley/db/connect'
import { gather } from '@parley/db/gather'
import type { MessageDoc } from '@parley/db/messages'
import { deletePublished, messageEventId } from '@parley/db/outbox'
import type { UserDoc } from '@parley/db/users'
import type { Log, Steps } from './chat.ts'
import { showMessage } from './show-message.ts'

/** Publishes the events of messages that are in the database already. */
export interface Outbox {
  /**
   * Publishes the events of a note in the outbox and then deletes it. Never fails: when the bus does not take
   * all of them the note stays, and the relay publishes them later.
   * @returns whether the bus has them.
   */
  publish(note: string, events: readonly MessageEvent[]): Promise<boolean>
  /** Settles when every publish that was begun is over. */
  idle(): Promise<void>
}

export interface MessageEvent {
  message: MessageDoc
  sender: UserDoc | undefined
  event: ServerEvent
}

/** Nobody waits for a note to be deleted, so many are deleted together. */
const deleteEveryMS = 100

export function createOutbox(db: Db, bus: Bus, log: Log, steps: Steps): Outbox {
  const underWay = new Set<Promise<boolean>>()
  const forget = gather(
    async (notes: string[]) => {
      await deletePublished(db, notes)
      return notes
    },
    { most: 2_000, waitMS: deleteEveryMS },
  )

  async function publishOne(event: MessageEvent): Promise<boolean> {
    const { _id, room, request } = event.message
    const step = steps.step(`publish ${event.event}`, 'producer', request)
    try {
      await publishEvent(bus, outgoing(event))
      step.end()
      return true
    } catch (error) {
      step.end({}, error as Error)
      log.warn({ err: error, message: _id, room, event: event.event, request }, 'event not published yet')
      return false
    }
  }

  async function publish(note: string, events: readonly MessageEvent[]): Promise<boolean> {
    const published = await Promise.all(events.map(publishOne))
    if (!published.every(Boolean)) return false
    try {
      await forget(note)
    } catch (error) {
      log.warn({ err: error, note }, 'outbox not cleared; its events will be published again')
    }
    return true
  }

  return {
    publish(note, events) {
      const work = publish(note, events).finally(() => underWay.delete(work))
      underWay.add(work)
      return work
    },
    async idle() {
      await Promise.all(underWay)
    },
  }
}

/** The event of a message, named so that the stream keeps a repeated one once. */
function outgoing({ message, sender, event }: MessageEvent): OutgoingEvent {
  const { app, room } = message
  const payload = event === 'messageDeleted' ? { room, messageID: message._id } : showMessage(message, sender)
  return {
    to: { app, room },
    event,
    json: JSON.stringify(payload),
    id: messageEventId(message, event),
    ...(message.push === false && { push: false }),
    ...(message.webhook === false && event === 'chat message' && { webhook: false }),
    ...(message.request !== undefined && { request: message.request }),
  }
}
