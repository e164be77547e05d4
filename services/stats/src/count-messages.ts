import { batchedWrites } from '@parley/async/batch'
import { readEvent } from '@parley/bus/events/incoming'
import { readPayload } from '@parley/bus/read-payload'
import type { MessageHandler } from '@parley/bus/stream/consume'
import { firstLink } from '@parley/chat/messages/reading/first-link'
import { timeMS } from '@parley/contracts/ids'
import { message as messageSchema } from '@parley/contracts/resources/message'
import type { Db } from '@parley/db/connect'
import { recordMessages, type SentFact } from '@parley/db/statistics/counted-messages'
import { z } from 'zod'

const typesWithLinks: ReadonlySet<unknown> = new Set(['text', 'markdown'])

/** A counted message, with the link for a card. */
type CountedFact = SentFact & { link: string | undefined }

/** The counted fields of a message. Its time must be in the range of Date, or its buckets could not be written. */
const fields = messageSchema
  .pick({ room: true, sender: true, seq: true })
  .extend({ createdAtMS: timeMS.min(0).max(8.64e15), message: z.unknown(), messageType: z.unknown() })

/** Events that arrive within this time are written together. */
const waitMS = 500

/** Handles `chat message` events by counting them into buckets, once: a redelivered event changes nothing. */
export function createMessageCounter(db: Db): MessageHandler<CountedFact> {
  const record = batchedWrites((facts: SentFact[]) => recordMessages(db, facts), { max: 5_000, waitMS })
  return {
    read(message, raw) {
      const event = readEvent(message, raw)
      const { room, sender, seq, createdAtMS, message: content, messageType } = readPayload(event, fields)
      const link = typesWithLinks.has(messageType) ? firstLink(content) : undefined
      return { app: event.to.app, room, user: sender._id, seq, atMS: createdAtMS, link }
    },
    handle: record,
  }
}
