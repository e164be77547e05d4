import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import * as fc from 'fast-check'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'
import { fromBuffer, unflushedOf } from '../room-buffer/buffer.ts'
import type { BufferedMessage } from '../room-buffer/documents.ts'
import { insertFlushed } from '../room-buffer/flush.ts'
import type { RoomDoc } from '../rooms/documents.ts'
import { lockRoom } from '../rooms/lock-room.ts'
import { inTransaction } from '../transactions/transaction.ts'
import { changeMessage, stubMessages } from './change-messages.ts'
import type { MessageDoc } from './documents.ts'
import { readHistory } from './history.ts'
import { findMessage } from './messages.ts'
import type { PageStart, TimeField } from './page-start.ts'
import { readRoomPage } from './room-page.ts'

/** A random operation on a room. Numbers select among the existing messages. */
export type Step =
  | { is: 'send'; count: number; atOneTime: boolean; isLarge: boolean }
  | { is: 'flush'; from: number; to: number; isPulled: boolean }
  | { is: 'change'; message: number }
  | { is: 'stub'; from: number; to: number }
  | {
      is: 'page'
      start: Exclude<PageStart['from'], 'sameTime'>
      message: number
      bound: number
      field: TimeField
      limit: number
    }

/** A room in the database, and a model of its expected history. */
export class HistoryModel {
  readonly #db: Db
  readonly #key: string
  readonly #of = { app: 'app', room: randomBytes(6).toString('hex') }
  readonly #messages: MessageDoc[] = []
  #clockMS = 1_000

  constructor(db: Db) {
    this.#db = db
    this.#key = key(this.#of.app, this.#of.room)
  }

  async open(): Promise<void> {
    const { app, room: id } = this.#of
    const room = { _id: this.#key, app, id, seq: 0, clockMS: this.#clockMS, buffer: [] } as unknown as RoomDoc
    await this.#db.rooms.insertOne(room)
  }

  async play(step: Step): Promise<void> {
    if (step.is === 'send') return this.#send(step)
    if (this.#messages.length === 0) return
    if (step.is === 'flush') await this.#flush(step)
    else if (step.is === 'change') await this.#change(this.#at(step.message))
    else if (step.is === 'stub') await this.#stub(step)
    else await this.#check(step)
  }

  #at(place: number): MessageDoc {
    return this.#messages[place % this.#messages.length] as MessageDoc
  }

  async #send({ count, atOneTime, isLarge }: Extract<Step, { is: 'send' }>): Promise<void> {
    const entries = Array.from({ length: count }, (_, i): BufferedMessage => {
      if (i === 0 || !atOneTime) this.#clockMS++
      return {
        // Unordered, like the IDs of different processes.
        _id: randomBytes(12).toString('hex'),
        ...{ seq: this.#messages.length + i + 1, sender: 'alice', messageType: 'text', createdAtMS: this.#clockMS },
        content: JSON.stringify('x'.repeat(isLarge && i % 3 === 0 ? 2_000 : 5)),
      }
    })
    const { app, room } = this.#of
    this.#messages.push(...entries.map((entry) => fromBuffer({ _id: this.#key, app, id: room }, entry)))
    const ends = { seq: this.#messages.length, clockMS: this.#clockMS }
    await this.#db.rooms.updateOne({ _id: this.#key }, { $set: ends, $push: { buffer: { $each: entries } } })
  }

  /**
   * Flushes part of the buffer, like one of several gateways. Unless `isPulled`, stops before removing it from the
   * buffer.
   */
  async #flush({ from, to, isPulled }: Extract<Step, { is: 'flush' }>): Promise<void> {
    const room = (await this.#db.rooms.findOne({ _id: this.#key })) as RoomDoc
    const all = unflushedOf({ ...room, flushedSeq: 0 })
    const [begin, end] = [from % (all.length + 1), to % (all.length + 1)].toSorted((a, b) => a - b)
    const some = all.slice(begin, end)
    await insertFlushed(this.#db, some)
    const flushed = { buffer: { seq: { $in: some.map(({ seq }) => seq) } } }
    if (isPulled) await this.#db.rooms.updateOne({ _id: this.#key }, { $pull: flushed })
  }

  async #change(message: MessageDoc): Promise<void> {
    const updatedAtMS = ++this.#clockMS
    await inTransaction(this.#db, async (session) => {
      await lockRoom(this.#db, this.#of.app, this.#of.room, session)
      const found = await findMessage(this.#db, this.#key, message._id, session)
      assert.deepEqual(found, message)
      await changeMessage(this.#db, message, { set: { pinned: true } }, updatedAtMS, session)
      await this.#db.rooms.updateOne({ _id: this.#key }, { $set: { clockMS: updatedAtMS } }, { session })
    })
    Object.assign(message, { pinned: true, updatedAtMS })
  }

  async #stub({ from, to }: Extract<Step, { is: 'stub' }>): Promise<void> {
    const [after = 0, upTo = 0] = [this.#at(from).seq, this.#at(to).seq].toSorted((a, b) => a - b)
    const updatedAtMS = ++this.#clockMS
    await inTransaction(this.#db, async (session) => {
      await lockRoom(this.#db, this.#of.app, this.#of.room, session)
      await stubMessages(this.#db, this.#key, { after, upTo }, updatedAtMS, session)
      await this.#db.rooms.updateOne({ _id: this.#key }, { $set: { clockMS: updatedAtMS } }, { session })
    })
    for (const message of this.#messages.slice(after, upTo)) {
      if (message.isDeleted) continue
      Object.assign(message, { isDeleted: true, updatedAtMS })
      delete message.content
      delete message.pinned
    }
  }

  /** Asserts that the page starts with the next messages, without gaps, and has the requested length. */
  async #check({ start: from, message, bound, field, limit }: Extract<Step, { is: 'page' }>): Promise<void> {
    const placeOf = (one: MessageDoc) => ({ timeMS: one[field], id: one._id })
    const place = placeOf(this.#at(message))
    const start = ((): PageStart => {
      if (from === 'end') return { from }
      if (from === 'afterTime') return { from, timeMS: place.timeMS }
      if (from === 'after') return { from, ...place }
      return bound % 2 === 0 ? { from, ...place } : { from, ...place, bound: placeOf(this.#at(bound)) }
    })()
    const isAfter = (one: MessageDoc, { timeMS, id }: { timeMS: number; id: string }) =>
      one[field] > timeMS || (one[field] === timeMS && one._id > id)
    const isBefore = (one: MessageDoc, than: { timeMS: number; id: string }) =>
      one._id !== than.id && !isAfter(one, than)
    const wanted = this.#messages
      .filter((one) => {
        if (start.from === 'end') return true
        if (start.from === 'afterTime') return one[field] > start.timeMS
        if (start.from === 'after') return isAfter(one, start)
        return start.from === 'before' && isBefore(one, start) && (!start.bound || isAfter(one, start.bound))
      })
      .toSorted((a, b) => a[field] - b[field] || (a._id < b._id ? -1 : 1))
    const isForward = start.from === 'after' || start.from === 'afterTime'
    const expected = isForward ? wanted : wanted.toReversed()
    const size = { limit, maxBytes: 1_000_000 }
    const page = await readRoomPage(this.#db, { ...this.#of, user: 'bob' }, start, field, size)
    assert.ok(page)
    const { room, first } = page
    const of = { roomKey: this.#key, buffer: unflushedOf(room), clockMS: room.clockMS, seq: room.seq }
    const found = await readHistory(this.#db, of, start, field, size, first)
    assert.deepEqual(found, expected.slice(0, found.length))
    assert.ok(found.length >= Math.min(limit, expected.length) || start.from === 'afterTime')
    assert.ok(found.length > 0 || expected.length === 0)
    const rest = expected[found.length]
    const isWhole = start.from === 'afterTime' && found.length > 0
    if (isWhole && rest) assert.notEqual(rest[field], found.at(-1)?.[field])
  }
}

const place = fc.nat(10_000)

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        is: fc.constant('send' as const),
        count: fc.integer({ min: 1, max: 90 }),
        atOneTime: fc.boolean(),
        isLarge: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ is: fc.constant('flush' as const), from: place, to: place, isPulled: fc.boolean() }),
    },
    { weight: 3, arbitrary: fc.record({ is: fc.constant('change' as const), message: place }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant('stub' as const), from: place, to: place }) },
    {
      weight: 8,
      arbitrary: fc.record({
        is: fc.constant('page' as const),
        start: fc.constantFrom('end', 'afterTime', 'before', 'after'),
        message: place,
        bound: place,
        field: fc.constantFrom('updatedAtMS', 'createdAtMS'),
        limit: fc.constantFrom(1, 7, 20, 40, 100),
      }),
    },
  ),
  { minLength: 20, maxLength: 50 },
)
