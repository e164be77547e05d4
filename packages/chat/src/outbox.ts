import type { Bus } from '@parley/bus/connect'
import { type OutgoingEvent, publishEvent } from '@parley/bus/publish'
import type { ServerEvent } from '@parley/contracts/socket/server-events'
import type { Db } from '@parley/db/connect'
import { type MessageDoc, markPublished, type PublishedEvent } from '@parley/db/messages'
import type { UserDoc } from '@parley/db/users'
import { gatherWrites } from '@parley/db/write-batch'
import type { Log } from './chat.ts'
import { showMessage } from './show-message.ts'

/** Publishes the events of messages that are in the database already. */
export interface Outbox {
  /**
   * Publishes one event of a message and then takes the mark from its document. Never fails: what the
   * bus does not take keeps its mark, and the relay publishes it later.
   * @returns whether the bus has it.
   */
  publish(message: MessageDoc, sender: UserDoc | undefined, event: ServerEvent): Promise<boolean>
  /** Settles when every publish that was begun is over. */
  idle(): Promise<void>
}

/** Nobody waits for a mark to be taken away, so many are taken away together. */
const markEveryMS = 100

export function createOutbox(db: Db, bus: Bus, log: Log): Outbox {
  const underWay = new Set<Promise<boolean>>()
  const mark = gatherWrites(
    async (published: PublishedEvent[]) => {
      await markPublished(db, published)
      return published
    },
    { most: 2_000, waitMS: markEveryMS },
  )

  async function publish(message: MessageDoc, sender: UserDoc | undefined, event: ServerEvent): Promise<boolean> {
    try {
      await publishEvent(bus, messageEvent(message, sender, event))
      await mark({ id: message._id, event, updatedAtMS: message.updatedAtMS })
      return true
    } catch (error) {
      log.warn(
        { err: error, message: message._id, room: message.room, event, request: message.request },
        'event not published yet',
      )
      return false
    }
  }

  return {
    publish(message, sender, event) {
      const work = publish(message, sender, event).finally(() => underWay.delete(work))
      underWay.add(work)
      return work
    },
    async idle() {
      await Promise.all(underWay)
    },
  }
}

/** The event of a message, named so that the stream keeps a repeated one once. */
function messageEvent(message: MessageDoc, sender: UserDoc | undefined, event: ServerEvent): OutgoingEvent {
  const { app, room } = message
  const payload = event === 'messageDeleted' ? { room, messageID: message._id } : showMessage(message, sender)
  return {
    to: { app, room },
    event,
    json: JSON.stringify(payload),
    id: event === 'chat message' ? message._id : `${message._id}:${event}:${message.updatedAtMS}`,
    ...(message.push === false && { push: false }),
    ...(message.webhook === false && event === 'chat message' && { webhook: false }),
    ...(message.request !== undefined && { request: message.request }),
  }
}
