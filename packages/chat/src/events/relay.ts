import { setTimeout as pause } from 'node:timers/promises'
import { clock } from '@parley/async/clock'
import { inParts } from '@parley/async/in-parts'
import { isDatabaseAway } from '@parley/db/connect'
import { givenUpAfterMS } from '@parley/db/due-work'
import type { OutboxEntry } from '@parley/db/events/documents'
import { findLatestOfRoom, findUnpublished, oldestUnpublished } from '@parley/db/events/outbox-store'
import { idsOf, key } from '@parley/db/keys'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { findRoomWithBuffer, unflushedOf, untilDurable } from '@parley/db/room-buffer/buffer'
import type { BufferedMessage } from '@parley/db/room-buffer/documents'
import { flushAbandoned } from '@parley/db/room-buffer/flush'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { findSenders } from '@parley/db/users/users'
import type { Chat } from '../chat.ts'
import type { Worker } from '../jobs/run-workers.ts'
import { findQuoted } from '../messages/reading/quoted-messages.ts'
import { justWritten, readCurrentDocs } from './current-docs.ts'
import { threadOrderingKey } from './ordering-keys.ts'

const perRound = 500
const roomsPerRound = 100
/** Entries with new messages, up to `maxAtOneTime` each, whose documents are read at once. */
const messageEntriesAtOnce = 20
/** An election takes seconds, and longer if the primary hangs instead of failing. */
const maxAwayMS = 30_000
const awayPauseMS = 250

/**
 * Publishes events of the outbox that the bus never acknowledged, because the bus was away or their process was killed. Any
 * number of relays may run: the stream and the nodes drop duplicates.
 */
export function relay(chat: Chat): Worker {
  return {
    kinds: ['abandonedMessages', 'unpublished'],
    onError: (error) => chat.log.warn({ err: error }, 'outbox not read by the relay; trying again'),
    work: async (signal) => {
      if (chat.bus.connected) await relayRound(chat, signal)
    },
  }
}

async function relayRound(chat: Chat, signal: AbortSignal): Promise<void> {
  let more = true
  while (more && !signal.aborted) {
    const beforeMS = clock.now() - givenUpAfterMS
    await flushAbandoned(chat.db, beforeMS, roomsPerRound).catch((error: unknown) => {
      // A failure here must not delay the outbox.
      chat.log.warn({ err: error }, 'abandoned messages not flushed; trying again')
    })
    const entries = await findUnpublished(chat.db, beforeMS, perRound)
    if (entries.length === 0) return
    // Ordering keys come first, so that messages sent after a deletion of all messages follow its event.
    const orderingKeys = [...new Set(entries.flatMap(({ orderingKey }) => orderingKey ?? []))]
    const areKeysPublished = await chat.outbox.publishKeys(orderingKeys, signal).catch((error: unknown) => {
      // Nor must one here delay new messages.
      chat.log.warn({ err: error }, 'outbox not read; its events will be published later')
      return false
    })
    const messages = entries.filter(({ orderingKey }) => orderingKey === undefined)
    const published = await publishUnordered(chat, messages)
    const areAllPublished = areKeysPublished && published.every(Boolean)
    chat.log.info({ waiting: entries.length, areAllPublished }, 'relayed unpublished events')
    more = entries.length === perRound && areAllPublished
  }
}

interface MissingMessages {
  app: string
  room: string
  thread: string | undefined
  fromSeq: number
  toSeq: number
}

/**
 * Publishes accepted messages whose gateway is late, dead or cut off from the bus, which dedupes them. Returns the first
 * that may arrive. While the database is away, it tries again for half a minute.
 */
export async function publishMissing(chat: Chat, missing: MissingMessages): Promise<number | undefined> {
  const untilMS = performance.now() + maxAwayMS
  for (;;) {
    try {
      return await publishFound(chat, missing)
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() > untilMS) throw error
      await pause(awayPauseMS, undefined, { ref: false })
    }
  }
}

async function publishFound(
  chat: Chat,
  { app, room: id, thread, fromSeq, toSeq }: MissingMessages,
): Promise<number | undefined> {
  const { db, outbox } = chat
  if (thread !== undefined)
    return (await outbox.publishKeys([threadOrderingKey(app, id, thread)])) ? fromSeq : undefined
  const room = await findRoomWithBuffer(db, app, id)
  if (!room) return undefined
  const isMissing = ({ seq }: { seq: number }) => seq >= fromSeq && seq <= toSeq
  const buffered = (room.buffer ?? []).filter(isMissing)
  // A message leaves the buffer once it is published or in the outbox.
  const noted = await findLatestOfRoom(db, room._id, perRound)
  if (buffered.length === 0 && noted.length === 0) return undefined
  if ((await outbox.publishBeforeMessages(room)) === false) return undefined
  const published = [...(await publishUnordered(chat, noted)), await publishBuffered(chat, room, buffered)]
  const seqs = published.flatMap((messages) => messages?.filter(isMissing) ?? []).map(({ seq }) => seq)
  return seqs.length > 0 ? Math.min(...seqs) : undefined
}

/** Publishes entries without an ordering key. Returns the new messages of each; undefined if the bus lacks some. */
async function publishUnordered(
  { db, outbox }: Chat,
  entries: readonly OutboxEntry[],
): Promise<(MessageDoc[] | undefined)[]> {
  const published: (MessageDoc[] | undefined)[] = []
  for (const some of inParts(entries, messageEntriesAtOnce)) {
    const now = await readCurrentDocs(db, some)
    const messagesIn = ({ events }: OutboxEntry) =>
      events.flatMap((event) => (event.kind === 'message' ? (now.message(event.message)?.message ?? []) : []))
    const publish = async (entry: OutboxEntry) =>
      (await outbox.publishEntry(entry, now)) ? messagesIn(entry) : undefined
    published.push(...(await Promise.all(some.map(publish))))
  }
  return published
}

/** Publishes messages of a room's buffer. Returns them if the bus has all. */
async function publishBuffered(
  { db, outbox }: Chat,
  room: RoomDoc,
  entries: readonly BufferedMessage[],
): Promise<MessageDoc[]> {
  if (entries.length === 0) return []
  const { app, id } = room
  const ids = new Set(idsOf(entries))
  const [stored] = await Promise.all([findMessages(db, [...ids]), untilDurable(db)])
  const flushed = new Set(idsOf(stored))
  const unflushed = unflushedOf(room).filter(({ _id }) => ids.has(_id) && !flushed.has(_id))
  const messages = [...stored, ...unflushed].toSorted((one, other) => one.seq - other.seq)
  const [users, quoted] = await Promise.all([
    findSenders(db, app, messages),
    findQuoted(db, messages, new Map([[key(app, id), room]])),
  ])
  const now = justWritten({
    messages: messages.map((message) => ({ message, sender: users.get(message.sender), quoted })),
  })
  const events = messages.map(({ _id: message }) => {
    return { kind: 'message', message, event: 'chat message', mayOvertake: true } as const
  })
  return (await outbox.publishEvents(events, now)) ? messages : []
}

/** Age of the oldest unpublished event in seconds; normally at most one. */
export async function outboxAge({ db }: Chat): Promise<number> {
  const oldest = await oldestUnpublished(db)
  return oldest === undefined ? 0 : Math.max(0, clock.now() - oldest) / 1000
}
