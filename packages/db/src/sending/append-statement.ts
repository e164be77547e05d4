import { clock } from '@parley/async/clock'
import type { Document } from 'mongodb'
import type { MessageDoc } from '../messages/messages.ts'
import type { RoomToSendTo } from '../rooms/advance-rooms.ts'
import type { TailMessage } from './tails.ts'

/** A tail of so many bytes takes no more until it is settled; a document may have 16 MiB. */
export const mostTailBytes = 2 * 1024 * 1024

/** A new message of an append. */
interface Appended {
  message: MessageDoc
  sendKey?: string | undefined
  /** The message that it replies to, for its event. */
  quoted?: MessageDoc | undefined
}

export interface TailAppend {
  room: RoomToSendTo
  /** The next messages of the room, in the order of seq. */
  messages: readonly Appended[]
  bytes: number
  /** The messages are written where they stay with the same write (append-stored.ts). */
  areStored: boolean
  /** Others send to the room as well, so MongoDB gives the seqs and times; the messages have those that they had alone. */
  isShared: boolean
}

/** The update statement of one append, which matches only if the room is as it was read, and its tail not full. */
export function appendStatement(append: TailAppend): Document {
  const { room, messages, areStored, isShared } = append
  const first = messages[0]?.message
  const last = messages.at(-1)?.message
  if (!first || !last) throw new Error('nothing to append')
  const entries = messages.map(({ message, sendKey }) => toTail(message, sendKey, areStored))
  return {
    q: {
      _id: room._id,
      // A room that nobody has changed has no `rev`, which null matches.
      rev: room.rev ?? null,
      ...(!isShared && { seq: room.seq, clockMS: { $lt: first.createdAtMS } }),
      ...(!areStored && { tailBytes: { $not: { $gte: mostTailBytes } } }),
    },
    u: isShared ? nextPlaces(append, entries, first, last) : givenPlaces(append, entries, first, last),
  }
}

type Ends = Pick<MessageDoc, '_id' | 'seq' | 'createdAtMS'>

function givenPlaces({ bytes }: TailAppend, entries: TailMessage[], first: Ends, last: Ends): Document {
  return {
    $set: { seq: last.seq, clockMS: last.createdAtMS, lastMessageID: last._id, lastMessageAtMS: last.createdAtMS },
    $min: { tailSinceMS: Math.min(first.createdAtMS, clock.now()) },
    $inc: { tailBytes: bytes },
    $push: { tail: { $each: entries } },
  }
}

/** The same after whatever the room has by then: the messages keep their distances from the first. */
function nextPlaces({ room, bytes }: TailAppend, entries: TailMessage[], first: Ends, last: Ends): Document[] {
  const distances = entries.map((entry) => ({
    ...entry,
    seq: entry.seq - room.seq,
    createdAtMS: entry.createdAtMS - first.createdAtMS,
  }))
  const nowMS = clock.now()
  const firstMS = { $max: [nowMS, { $add: ['$clockMS', 1] }] }
  const lastMS = { $add: [firstMS, last.createdAtMS - first.createdAtMS] }
  const placed = {
    $mergeObjects: [
      '$$this',
      { seq: { $add: ['$seq', '$$this.seq'] }, createdAtMS: { $add: [firstMS, '$$this.createdAtMS'] } },
    ],
  }
  const placedEntries = { $map: { input: { $literal: distances }, in: placed } }
  return [
    {
      $set: {
        seq: { $add: ['$seq', last.seq - room.seq] },
        clockMS: lastMS,
        lastMessageID: { $literal: last._id },
        lastMessageAtMS: lastMS,
        tailSinceMS: { $min: ['$tailSinceMS', nowMS] },
        tailBytes: { $add: [{ $ifNull: ['$tailBytes', 0] }, bytes] },
        tail: { $concatArrays: [{ $ifNull: ['$tail', []] }, placedEntries] },
      },
    },
  ]
}

/** What the tail has of a message; less of one that is stored. */
function toTail(message: MessageDoc, sendKey: string | undefined, isStored: boolean): TailMessage {
  const { app: _app, room: _room, roomKey: _roomKey, updatedAtMS: _updatedAtMS, ...rest } = message
  const entry: TailMessage = sendKey === undefined ? rest : { ...rest, sendKey }
  if (!isStored) return entry
  const { content: _content, mentions: _mentions, attachments: _attachments, ...light } = entry
  return { ...light, stored: true }
}
