import { inParts } from '@parley/async/in-parts'
import { type AnyBulkWriteOperation, Long } from 'mongodb'
import type { Db } from '../db.ts'
import { type ActiveUser, ActiveUsers, writeActiveUsers } from '../statistics/active-users.ts'
import { type BucketLevel, bucketOf, keptLevels, levels } from '../statistics/buckets.ts'
import type { SentFact } from '../statistics/counted-messages.ts'
import type { StatsRoomDoc, StatsUserDoc } from '../statistics/documents.ts'
import { insertMissing } from '../transactions/run-writes.ts'
import { retryBusy } from './retry-busy.ts'

/** Buckets to buffer before a flush. */
const normalMaxBuffered = 40_000
const perCommand = 1_000

interface Buffered {
  rooms: Map<string, StatsRoomDoc>
  users: ActiveUsers
}

/**
 * Counts imported messages in the statistics, like recordMessages, with as few writes as possible. Buckets are buffered
 * across messages; coarse ones the longest, since later messages are most likely to fall into them. Idempotent per
 * message.
 */
export class ImportedStats {
  readonly #db: Db
  readonly #maxBuffered: number
  readonly #buffered: Record<BucketLevel, Buffered> = { minute: newBuffered(), hour: newBuffered(), day: newBuffered() }

  constructor(db: Db, maxBuffered = normalMaxBuffered) {
    this.#db = db
    this.#maxBuffered = maxBuffered
  }

  async add(messages: readonly SentFact[]): Promise<void> {
    for (const fact of messages) {
      const { app, room, seq, atMS } = fact
      for (const level of keptLevels(atMS)) {
        const ofRoom = bucketOf(level, app, atMS, room)
        const { rooms } = this.#buffered[level]
        const known = rooms.get(ofRoom._id)
        if (known) known.lastSeq = seq
        else rooms.set(ofRoom._id, { ...ofRoom, room, firstSeq: seq, lastSeq: seq })
        // Active minutes are bits of the hour's document.
        this.#buffered[level === 'minute' ? 'hour' : level].users.add(level, fact)
      }
    }
    if (this.#size > this.#maxBuffered) await this.#writeWhile(() => this.#size > this.#maxBuffered / 2)
  }

  /** Writes all buffered counts. */
  async write(): Promise<void> {
    await this.#writeWhile(() => true)
  }

  get #size(): number {
    return levels.reduce((sum, level) => sum + this.#buffered[level].rooms.size + this.#buffered[level].users.size, 0)
  }

  /** Writes the finest level first. */
  async #writeWhile(isMore: () => boolean): Promise<void> {
    for (const level of levels) {
      if (!isMore()) return
      const { rooms, users } = this.#buffered[level]
      this.#buffered[level] = newBuffered()
      for (const part of inParts([...rooms.values()], perCommand)) await this.#writeRooms(part)
      for (const part of inParts(users.take(), perCommand)) await this.#writeUsers(part)
    }
  }

  /** Most users are new in a bucket; existing ones get further minutes. */
  async #writeUsers(users: readonly ActiveUser[]): Promise<void> {
    const { statsUsers } = this.#db
    const inserted = await retryBusy(() => insertMissing(this.#db, statsUsers.collectionName, users.map(toDocument)))
    const withMinutes = users.filter(({ minutes }) => minutes > 0n)
    if (inserted < users.length) await retryBusy(() => writeActiveUsers(this.#db, withMinutes))
  }

  /** Most rooms are new in a bucket; existing ones are extended. */
  async #writeRooms(rooms: readonly StatsRoomDoc[]): Promise<void> {
    const { statsRooms } = this.#db
    const inserted = await retryBusy(() => insertMissing(this.#db, statsRooms.collectionName, rooms))
    if (inserted === rooms.length) return
    const wanted = new Map(rooms.map((room) => [room._id, room]))
    const existing = await statsRooms.find({ _id: { $in: [...wanted.keys()] } }).toArray()
    const grown = existing.flatMap(({ _id, firstSeq, lastSeq }): AnyBulkWriteOperation<StatsRoomDoc>[] => {
      const room = wanted.get(_id)
      if (!room || (firstSeq <= room.firstSeq && lastSeq >= room.lastSeq)) return []
      const update = { $min: { firstSeq: room.firstSeq }, $max: { lastSeq: room.lastSeq } }
      return [{ updateOne: { filter: { _id }, update } }]
    })
    if (grown.length > 0) await statsRooms.bulkWrite(grown, { ordered: false })
  }
}

const newBuffered = (): Buffered => ({ rooms: new Map(), users: new ActiveUsers() })

function toDocument({ document, minutes }: ActiveUser): StatsUserDoc {
  return minutes > 0n ? { ...document, minutes: Long.fromBigInt(minutes) } : document
}
