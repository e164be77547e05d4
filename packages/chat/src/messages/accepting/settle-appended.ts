import { clock } from '@parley/async/clock'
import type { Db } from '@parley/db/connect'
import { insertUnordered, type NotedEvent } from '@parley/db/events/pending-events'
import { newId } from '@parley/db/messages/messages'
import type { TailAppend } from '@parley/db/sending/append-statement'
import { pullStored } from '@parley/db/sending/append-stored'
import { countSettled, type TailSenders } from '@parley/db/sending/count-settled'
import { insertSettled, noteSendKeys, type Pull, pullSettled } from '@parley/db/sending/settle-tails'
import { findTailHeads } from '@parley/db/sending/tails'
import type { LRUCache } from 'lru-cache'
import type { Outbox } from '../../events/outbox.ts'

/** Where a message may be when its process dies. */
export type SettlePoint = 'written' | 'published' | 'taken' | 'inserted' | 'counted' | 'noted' | 'pulled'

/** For tests: called at each point; settling waits there for the promise that it returns. */
export type AtPoint = (point: SettlePoint) => void | Promise<void>

/** What was appended to a tail, until it is settled. */
export interface Unsettled {
  append: TailAppend
  events: (NotedEvent & { kind: 'message' })[]
  isPublished: boolean
  /** The note of events that the bus has not taken yet. */
  note?: string
}

export interface SettleParts {
  db: Db
  outbox: Outbox
  at: AtPoint
  /** Up to which seq everything that was ever in the tail of a room is counted. */
  countedUpTo: LRUCache<string, number>
}

/** Settles what this process has appended, step by step; after a failure all of it may be settled again. */
export async function settle(parts: SettleParts, work: readonly Unsettled[]): Promise<void> {
  const { db, at } = parts
  const sent = work.flatMap(({ append }) => append.messages)
  const unstored = work.flatMap(({ append }) => (append.areStored ? [] : append.messages))
  await at('taken')
  await insertSettled(
    db,
    unstored.map(({ message }) => message),
  )
  await at('inserted')
  await count(parts, work)
  await at('counted')
  await noteUnpublished(parts, work)
  await noteSendKeys(
    db,
    sent.flatMap(({ message, sendKey }) => (sendKey === undefined ? [] : [{ message, sendKey }])),
  )
  await at('noted')
  await pull(db, work)
  await at('pulled')
}

/** Where others have appended in between, with what is theirs: a sender's messages are counted in their order. */
async function count({ db, countedUpTo }: SettleParts, work: readonly Unsettled[]): Promise<void> {
  const byRoom = Map.groupBy(work, ({ append }) => append.room._id)
  const mixed = new Set(
    [...byRoom.keys()].filter((roomKey) => {
      return !isNext(byRoom.get(roomKey) ?? [], countedUpTo.get(roomKey))
    }),
  )
  const heads = new Map((await findTailHeads(db, [...mixed])).map((room) => [room._id, room]))
  const tails = [...byRoom].map(([roomKey, own]): TailSenders => {
    const { app, id } = (own[0] as Unsettled).append.room
    const head = heads.get(roomKey)
    const deletedUpToSeq = Math.max(
      head?.deletedUpToSeq ?? 0,
      ...own.map(({ append }) => append.room.deletedUpToSeq ?? 0),
    )
    const inTail = mixed.has(roomKey)
      ? (head?.tail ?? [])
      : own.flatMap(({ append }) => append.messages.map(({ message }) => message))
    return { room: { app, id, deletedUpToSeq }, messages: inTail }
  })
  await countSettled(db, tails)
  for (const [roomKey, own] of byRoom) {
    const last = heads.get(roomKey)?.tail?.at(-1)?.seq ?? 0
    countedUpTo.set(roomKey, Math.max(last, ...own.map(({ append }) => lastSeq(append))))
  }
}

async function pull(db: Db, work: readonly Unsettled[]): Promise<void> {
  const byRoom = Map.groupBy(work, ({ append }) => append.room._id)
  const rangeOf = ({ append }: Unsettled) => ({ fromSeq: append.room.seq + 1, toSeq: lastSeq(append) })
  const pulls = [...byRoom].map(([roomKey, own]) => ({ roomKey, ranges: joined(own.map(rangeOf)) }))
  const hasStored = ({ roomKey }: Pull) => byRoom.get(roomKey)?.some(({ append }) => append.areStored) ?? false
  await Promise.all([
    pullSettled(
      db,
      pulls.filter((one) => !hasStored(one)),
    ),
    pullStored(db, pulls.filter(hasStored)),
  ])
}

/** What waits for the bus need not wait in the tail. */
async function noteUnpublished({ db, outbox }: SettleParts, work: readonly Unsettled[]): Promise<void> {
  const late = work.filter(({ isPublished, note }) => !isPublished && note === undefined)
  if (late.length === 0) return
  const notes = late.map(({ events }) => ({ _id: newId(), atMS: clock.now(), events }))
  await insertUnordered(db, notes)
  late.forEach((one, i) => {
    one.note = notes[i]?._id as string
    if (one.isPublished) outbox.forget(one.note)
  })
}

function lastSeq({ messages }: TailAppend): number {
  return messages.at(-1)?.message.seq ?? 0
}

/** Whether these appends follow each other, from the first message that is not counted. */
function isNext(own: readonly Unsettled[], countedUpTo: number | undefined): boolean {
  let seq = countedUpTo
  for (const { append } of own) {
    if (append.room.seq !== seq) return false
    seq = lastSeq(append)
  }
  return true
}

/** Ranges that follow each other as one. */
function joined(ranges: readonly { fromSeq: number; toSeq: number }[]): { fromSeq: number; toSeq: number }[] {
  const all: { fromSeq: number; toSeq: number }[] = []
  for (const range of ranges.toSorted((a, b) => a.fromSeq - b.fromSeq)) {
    const last = all.at(-1)
    if (last && last.toSeq + 1 === range.fromSeq) last.toSeq = range.toSeq
    else all.push({ ...range })
  }
  return all
}
