import type { Db } from '@parley/db/connect'
import { findMessagesAfter, isDeletedIn } from '@parley/db/messages'
import { findRoomsByKey } from '@parley/db/rooms'
import { findSearchProgress, insertSearchTexts } from '@parley/db/search-texts'
import { inTransaction } from '@parley/db/transaction'
import type { Log } from './chat.ts'
import { wordsOfContent } from './search-words.ts'

/** Messages in one transaction. */
const chunk = 500
/** A room is indexed once it is quiet for so long, */
const quietMS = 5_000
/** or once its first message that is not indexed is so old. */
const latestMS = 60_000

/**
 * Brings the words of a room's messages into the index, up to the last message. It follows the room's seq, so that
 * nothing is ever left out whoever dies meanwhile, and any number of processes may do it at once.
 */
export async function indexRoom(db: Db, roomKey: string, untilMS: number): Promise<void> {
  while (Date.now() < untilMS && (await indexChunk(db, roomKey))) continue
}

/** Answers whether there is more to do. */
async function indexChunk(db: Db, roomKey: string): Promise<boolean> {
  return inTransaction(db, async (session) => {
    const [room] = await findRoomsByKey(db, [roomKey], session)
    if (!room) return false
    const done = (await findSearchProgress(db, [roomKey], session)).get(roomKey) ?? 0
    const after = Math.max(done, room.deletedUpToSeq ?? 0)
    if (after >= room.seq) return false
    const messages = await findMessagesAfter(db, roomKey, after, chunk, session)
    const texts = messages.flatMap((message) => {
      const words = isDeletedIn(message, room) ? [] : wordsOfContent(message.content)
      const { _id, seq, createdAtMS } = message
      return words.length === 0 ? [] : [{ _id, roomKey, seq, createdAtMS, words }]
    })
    const upTo = messages.at(-1)?.seq ?? room.seq
    await insertSearchTexts(db, roomKey, texts, upTo, session)
    return upTo < room.seq
  })
}

/** Indexes rooms in the background, after their messages: sending does not wait for it. */
export interface SearchIndex {
  /** The room has new messages. */
  soon(roomKey: string): void
  /** What is not done then, is when somebody searches. */
  stop(): void
}

export function createSearchIndex(db: Db, log: Log): SearchIndex {
  const waiting = new Map<string, { timer: NodeJS.Timeout; sinceMS: number }>()

  async function run(roomKey: string): Promise<void> {
    waiting.delete(roomKey)
    try {
      await indexRoom(db, roomKey, Number.POSITIVE_INFINITY)
    } catch (error) {
      log.warn({ err: error, room: roomKey }, 'indexing for search failed; the next message or search does it')
    }
  }

  return {
    soon(roomKey) {
      const known = waiting.get(roomKey)
      if (known && Date.now() - known.sinceMS < latestMS - quietMS) known.timer.refresh()
      if (known) return
      const timer = setTimeout(() => void run(roomKey), quietMS).unref()
      waiting.set(roomKey, { timer, sinceMS: Date.now() })
    },
    stop() {
      for (const { timer } of waiting.values()) clearTimeout(timer)
      waiting.clear()
    },
  }
}
