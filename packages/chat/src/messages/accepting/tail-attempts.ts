import { key } from '@parley/db/keys'
import type { MessageDoc } from '@parley/db/messages/messages'
import { mostTailBytes, type TailAppend } from '@parley/db/sending/append-statement'
import type { Draft, MessageBatch, Outcome } from './message-batch.ts'
import { bytesOf } from './new-message.ts'
import type { Send } from './read-batch.ts'

/** A message whose content is larger goes where it stays at once: every further message writes the whole tail. */
const mostMessageBytes = 8 * 1024
/** Of the messages that are appended to a tail at once. */
const mostAppendBytes = 256 * 1024
/** What a message has in a tail beside its content, about. */
const entryBytes = 300

/** What is tried for a room: what becomes of each send if the append is written. */
export interface RoomAttempt {
  outcomes: [id: string, outcome: Outcome][]
  /** None: nothing is to be written. */
  append?: TailAppend
}

/**
 * Parts a batch by its rooms.
 * @param isShared whether other processes send to a room as well, by its key
 */
export function splitByRoom(
  batch: MessageBatch,
  sends: readonly Send[],
  isShared: (roomKey: string) => boolean,
): RoomAttempt[] {
  const numbered = sends.map((send, i) => ({ send, outcome: batch.outcomes[i] as Outcome }))
  const byRoom = Map.groupBy(numbered, ({ send }) => key(send.draft.app, send.draft.room))
  const messages = Map.groupBy(batch.messages, ({ roomKey }) => roomKey)
  const drafts = new Map(sends.map(({ draft, id }) => [id, draft]))
  return [...byRoom].map(([roomKey, own]) => {
    const outcomes = own.map(({ send, outcome }): RoomAttempt['outcomes'][number] => [send.id, outcome])
    const room = batch.advances.get(roomKey)?.room
    const fresh = messages.get(roomKey) ?? []
    return room ? { outcomes, append: toAppend(room, fresh, drafts, isShared(roomKey)) } : { outcomes }
  })
}

function toAppend(
  room: TailAppend['room'],
  fresh: readonly MessageDoc[],
  drafts: ReadonlyMap<string, Draft>,
  isShared: boolean,
): TailAppend {
  const sizes = fresh.map(bytesOf)
  const light = sizes.length * entryBytes
  const bytes = sizes.reduce((sum, size) => sum + size, light)
  const fits =
    Math.max(...sizes) <= mostMessageBytes && bytes <= mostAppendBytes && (room.tailBytes ?? 0) < mostTailBytes
  const messages = fresh.map((message) => {
    const { sendKey, quoted } = drafts.get(message._id) ?? {}
    return { message, sendKey, quoted }
  })
  // That an idempotency key is not used is proven only by the seq, since every other send moves it.
  const hasKey = messages.some(({ sendKey }) => sendKey !== undefined)
  return { room, messages, bytes: fits ? bytes : light, areStored: !fits, isShared: isShared && fits && !hasKey }
}
