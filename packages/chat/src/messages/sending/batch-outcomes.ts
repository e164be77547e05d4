import { inParts } from '@parley/async/in-parts'
import type { Db } from '@parley/db/connect'
import type { JobOutcome } from '@parley/db/documents'
import { currentMessage } from '@parley/db/messages/deleted-messages'
import { findSentMessages } from '@parley/db/messages/messages'
import { findRoomsByKey } from '@parley/db/rooms/rooms'
import { sentMessageJson } from '../../views/message.ts'
import { nothingQuoted } from '../reading/quoted-messages.ts'

/** The outcome of a batch for one recipient: the ID of the message, or the error. */
export type BatchOutcome = JobOutcome

const atOnce = 100

/**
 * The outcomes of a batch as JSON text, part by part. Messages are read on demand, so a slow reader keeps none in
 * memory.
 */
export async function* outcomesText(db: Db, outcomes: readonly BatchOutcome[]): AsyncGenerator<string[]> {
  for (const part of inParts(outcomes, atOnce)) {
    const sent = part.flatMap((outcome) =>
      'message' in outcome ? [{ _id: outcome.message, roomKey: outcome.roomKey }] : [],
    )
    const messages = await messageTexts(db, sent)
    yield part.map((outcome) =>
      'message' in outcome ? `{"result":${messages.get(outcome.message)}}` : JSON.stringify(outcome),
    )
  }
}

async function messageTexts(db: Db, sent: readonly { _id: string; roomKey: string }[]): Promise<Map<string, string>> {
  const found = [...(await findSentMessages(db, sent)).values()]
  const rooms = await findRoomsByKey(db, [...new Set(found.map(({ roomKey }) => roomKey))])
  const roomByKey = new Map(rooms.map((room) => [room._id, room]))
  return new Map(
    found.map((message) => [
      message._id,
      // A batch has no replies.
      sentMessageJson(currentMessage(message, roomByKey.get(message.roomKey) ?? {}), nothingQuoted),
    ]),
  )
}
