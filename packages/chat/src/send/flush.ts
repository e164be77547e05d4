import { clock } from '@parley/async/clock'
import { createInFlight } from '@parley/async/in-flight'
import type { Db } from '@parley/db/connect'
import { insertUnordered } from '@parley/db/events/outbox-store'
import { joinRanges } from '@parley/db/message-buckets/find-messages'
import { newId } from '@parley/db/messages/messages'
import type { RoomAppend } from '@parley/db/room-buffer/append'
import { findBufferHeads } from '@parley/db/room-buffer/buffer'
import {
  type BufferSenders,
  countFlushed,
  eachApart,
  insertFlushed,
  type Pull,
  pullFlushed,
  pullStored,
  recordSendKeys,
} from '@parley/db/room-buffer/flush'
import type { UserDoc } from '@parley/db/users/documents'
import { LRUCache } from 'lru-cache'
import type { Outbox } from '../events/outbox.ts'
import type { Log } from '../ports.ts'
import { type AtPoint, createFlushQueue, type Unflushed } from './flush-queue.ts'
import { afterResponses, eventsOf, publishAppended } from './publish.ts'

const againAfterMS = 1_000
/** A busy room is flushed far more often. */
const rememberMS = 5_000

interface FlushParts {
  db: Db
  outbox: Outbox
  at: AtPoint
  /** Per room: the seq up to which every message that was ever in the buffer has been counted. */
  countedUpTo: LRUCache<string, number>
}

/** Publishes the appends of this process and flushes them from the buffers of their rooms. */
export function createFlusher(
  { db, outbox, log }: { db: Db; outbox: Outbox; log: Log },
  at: AtPoint = () => undefined,
) {
  const waiting = createFlushQueue()
  const held = createInFlight()
  let running: Promise<boolean> | undefined
  let timer: NodeJS.Timeout | undefined
  let notBeforeMS = 0
  const publish = afterResponses((one, senders) => publishAppended({ outbox, at }, one, senders))
  const countedUpTo = new LRUCache<string, number>({ max: 10_000, ttl: rememberMS })

  function schedule(dueInMS: number): void {
    if (running) return
    const afterMS = Math.max(dueInMS, notBeforeMS - performance.now())
    if (timer && afterMS > 0) return
    clearTimeout(timer)
    timer = setTimeout(() => void run(() => waiting.takeDue()), afterMS)
  }

  function run(take: () => Unflushed[][]): Promise<boolean> {
    clearTimeout(timer)
    timer = undefined
    running ??= flushByRoom(take()).finally(() => {
      running = undefined
    })
    return running
  }

  async function flushByRoom(byRoom: readonly Unflushed[][]): Promise<boolean> {
    const parts = { db, outbox, at, countedUpTo }
    const { failed, error } = await eachApart(byRoom, (some) => flush(parts, some.flat()))
    if (failed.length === 0) {
      if (!waiting.isEmpty) setImmediate(() => schedule(waiting.dueInMS()))
      return true
    }
    log.warn({ err: error }, 'messages not flushed; trying again')
    const later = waiting.takeAll()
    for (const one of [...failed, ...later].flat()) waiting.add(one)
    notBeforeMS = performance.now() + againAfterMS
    setImmediate(schedule, againAfterMS)
    return false
  }

  function flushSoon(one: Unflushed): void {
    waiting.add(one)
    schedule(waiting.dueInMS())
  }

  /** Messages that may not be published yet stay in the buffer, where nodes that lack them find them. */
  async function flushAfter(before: Promise<boolean>, one: Unflushed): Promise<void> {
    await before
    flushSoon(one)
  }

  return {
    /** @param senders profiles of the senders by key(app, user) */
    take(append: RoomAppend, senders: ReadonlyMap<string, UserDoc>) {
      void at('written')
      const before = outbox.publishBeforeMessages(append.room)
      const one: Unflushed = { append, events: eventsOf(append), isPublished: false, before }
      publish(one, senders)
      if (before) void held.add(flushAfter(before, one))
      else flushSoon(one)
    },
    /** Settles when everything taken is flushed or has failed. The relay flushes the rest. */
    async drained() {
      await held.drained()
      while (running || !waiting.isEmpty) if (!(await run(() => waiting.takeAll()))) break
      clearTimeout(timer)
    },
  }
}
export type Flusher = ReturnType<typeof createFlusher>

/** Flushes appends step by step. After a failure, all of them may be flushed again. */
async function flush(parts: FlushParts, work: readonly Unflushed[]): Promise<void> {
  const { db, at } = parts
  const sent = work.flatMap(({ append }) => append.messages)
  const unstored = work.flatMap(({ append }) => (append.areStored ? [] : append.messages))
  const keyed = sent.flatMap(({ message, sendKey }) => (sendKey === undefined ? [] : [{ message, sendKey }]))
  await at('taken')
  const messages = unstored.map(({ message }) => message)
  await insertFlushed(db, messages)
  await at('inserted')
  await count(parts, work)
  await at('counted')
  await storeUnpublished(parts, work)
  await recordSendKeys(db, keyed)
  await at('stored')
  await pull(db, work)
  await at('pulled')
}

/**
 * Counts messages per sender. If other gateways appended in between, includes their messages, since a sender's messages
 * are counted in order.
 */
async function count({ db, countedUpTo }: FlushParts, work: readonly Unflushed[]): Promise<void> {
  const byRoom = Map.groupBy(work, ({ append }) => append.room._id)
  const mixed = new Set<string>()
  for (const [roomKey, own] of byRoom) if (!isNext(own, countedUpTo.get(roomKey))) mixed.add(roomKey)
  const heads = new Map((await findBufferHeads(db, [...mixed])).map((room) => [room._id, room]))
  const buffers = [...byRoom].map(([roomKey, own]): BufferSenders => {
    const { app, id } = (own[0] as Unflushed).append.room
    const head = heads.get(roomKey)
    const deletions = own.map(({ append }) => append.room.deletedUpToSeq ?? 0)
    const deletedUpToSeq = Math.max(head?.deletedUpToSeq ?? 0, ...deletions)
    const inBuffer = mixed.has(roomKey)
      ? (head?.buffer ?? [])
      : own.flatMap(({ append }) => append.messages.map(({ message }) => message))
    return { room: { app, id, deletedUpToSeq }, messages: inBuffer }
  })
  await countFlushed(db, buffers)
  for (const [roomKey, own] of byRoom) {
    const last = heads.get(roomKey)?.buffer?.at(-1)?.seq ?? 0
    countedUpTo.set(roomKey, Math.max(last, ...own.map(({ append }) => lastSeq(append))))
  }
}

async function pull(db: Db, work: readonly Unflushed[]): Promise<void> {
  const byRoom = Map.groupBy(work, ({ append }) => append.room._id)
  const rangeOf = ({ append }: Unflushed) => ({ after: append.room.seq, upTo: lastSeq(append) })
  const pulls = [...byRoom].map(([roomKey, own]) => ({ roomKey, ranges: joinRanges(own.map(rangeOf)) }))
  const hasStored = ({ roomKey }: Pull) => byRoom.get(roomKey)?.some(({ append }) => append.areStored) ?? false
  const stored = pulls.filter(hasStored)
  const small = pulls.filter((one) => !hasStored(one))
  await Promise.all([pullFlushed(db, small), pullStored(db, stored)])
}

/** Notes events that the bus has not accepted, so that their messages need not stay in the buffer. */
async function storeUnpublished({ db, outbox }: FlushParts, work: readonly Unflushed[]): Promise<void> {
  const late = work.filter(({ isPublished, entry }) => !isPublished && entry === undefined)
  if (late.length === 0) return
  const entries = late.map(({ events }) => ({ _id: newId(), atMS: clock.now(), events }))
  await insertUnordered(db, entries)
  late.forEach((one, i) => {
    one.entry = entries[i]?._id as string
    if (one.isPublished) outbox.forget(one.entry)
  })
}

function lastSeq({ messages }: RoomAppend): number {
  return messages.at(-1)?.message.seq ?? 0
}

/** Whether these appends are consecutive, starting with the first message not counted yet. */
function isNext(own: readonly Unflushed[], countedUpTo: number | undefined): boolean {
  let seq = countedUpTo
  for (const { append } of own) {
    if (append.room.seq !== seq) return false
    seq = lastSeq(append)
  }
  return true
}
