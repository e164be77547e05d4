import { setImmediate as nextTurn } from 'node:timers/promises'
import { clock } from '@parley/async/clock'
import type { Db } from '@parley/db/connect'
import { findBySeq } from '@parley/db/message-buckets/find-messages'
import { isDeletedIn } from '@parley/db/messages/deleted-messages'
import type { SearchTextDoc } from '@parley/db/messages/documents'
import { findSearchProgress, insertSearchTexts } from '@parley/db/messages/search-texts'
import { findRoomsByKey } from '@parley/db/rooms/rooms'
import { inTransaction } from '@parley/db/transactions/transaction'
import PQueue from 'p-queue'
import type { Log } from '../ports.ts'
import { termsOfContent } from './search-words.ts'

const perTransaction = { messages: 500, words: 20_000 }
/** Maximum time to extract words before yielding to the event loop. */
const turnMS = 5
/** A room is indexed once it has been quiet for `quietMS`, or once its oldest unindexed message is `latestMS` old. */
const quietMS = 5_000
const latestMS = 60_000
/** A batch can make a thousand rooms quiet at once. Their transactions must not take all connections. */
const roomsAtOnce = 4

/**
 * Adds the words of a room's messages to the index, up to the last message. It follows the room's seq, so nothing is
 * missed if a process dies, and any number of processes may run it at once.
 */
export async function indexRoom(db: Db, roomKey: string, untilMS: number): Promise<void> {
  while (clock.now() < untilMS && (await indexChunk(db, roomKey))) continue
}

async function indexChunk(db: Db, roomKey: string): Promise<boolean> {
  return inTransaction(db, async (session) => {
    const [room] = await findRoomsByKey(db, [roomKey], session)
    if (!room) return false
    const done = (await findSearchProgress(db, [roomKey], session)).get(roomKey) ?? 0
    const after = Math.max(done, room.deletedUpToSeq ?? 0)
    if (after >= room.seq) return false
    const texts: SearchTextDoc[] = []
    let upTo = after
    let found = 0
    let turnBeganMS = performance.now()
    for (const message of await findBySeq(
      db,
      roomKey,
      { after, upTo: room.seq },
      { limit: perTransaction.messages, session },
    )) {
      const { _id, seq, sender, messageType, createdAtMS } = message
      // A missing message is still in the buffer. Once flushed, it is indexed with the next message or search.
      if (seq !== upTo + 1 || found >= perTransaction.words) break
      const words = isDeletedIn(message, room) ? [] : termsOfContent(message.content)
      if (words.length > 0) texts.push({ _id, app: room.app, roomKey, seq, sender, messageType, createdAtMS, words })
      upTo = seq
      found += words.length
      if (performance.now() - turnBeganMS < turnMS) continue
      await nextTurn()
      turnBeganMS = performance.now()
    }
    if (upTo === after) return false
    await insertSearchTexts(db, roomKey, texts, upTo, session)
    return upTo < room.seq
  })
}

export function createSearchIndex(db: Db, log: Log) {
  const waiting = new Map<string, { timer: NodeJS.Timeout; sinceMS: number }>()

  const queue = new PQueue({ concurrency: roomsAtOnce })

  const running = new Map<string, { now: Promise<void>; next?: { untilMS: number; run: Promise<void> } }>()

  function index(roomKey: string, untilMS: number): Promise<void> {
    const current = running.get(roomKey)
    if (!current) {
      const now = indexRoom(db, roomKey, untilMS).finally(() => running.delete(roomKey))
      running.set(roomKey, { now })
      return now
    }
    const next = (current.next ??= {
      untilMS,
      run: current.now.catch(() => undefined).then(() => index(roomKey, current.next?.untilMS ?? untilMS)),
    })
    next.untilMS = Math.max(next.untilMS, untilMS)
    return next.run
  }

  async function run(roomKey: string): Promise<void> {
    try {
      await index(roomKey, Number.POSITIVE_INFINITY)
    } catch (error) {
      const [app, room] = roomKey.split('\0')
      log.warn({ err: error, app, room }, 'indexing for search failed; the next message or search retries it')
    }
  }

  return {
    /**
     * Indexes the room now, until a time at most. Runs of one room never overlap in this process, where they would only
     * conflict. Callers during a run share the next one, which lasts until the latest of their times.
     */
    index,
    /** Called when the room has new messages. */
    soon(roomKey: string) {
      const known = waiting.get(roomKey)
      if (known && clock.now() - known.sinceMS < latestMS - quietMS) known.timer.refresh()
      if (known) return
      const index = () => {
        waiting.delete(roomKey)
        void queue.add(() => run(roomKey))
      }
      const timer = setTimeout(index, quietMS).unref()
      waiting.set(roomKey, { timer, sinceMS: clock.now() })
    },
    /** Stops. The rest is indexed by the next search. */
    stop() {
      for (const { timer } of waiting.values()) clearTimeout(timer)
      waiting.clear()
      queue.clear()
    },
  }
}
export type SearchIndex = ReturnType<typeof createSearchIndex>
