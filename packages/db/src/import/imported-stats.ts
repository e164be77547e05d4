import { inParts } from '@parley/async/in-parts'
import type { AnyBulkWriteOperation } from 'mongodb'
import type { Db } from '../db.ts'
import { ActiveUsers, writeActiveUsers } from '../statistics/active-users.ts'
import { bucketOf, keptLevels } from '../statistics/buckets.ts'
import type { SentFact } from '../statistics/counted-messages.ts'
import type { StatsRoomDoc } from '../statistics/documents.ts'
import { insertMissing } from '../transactions/run-writes.ts'
import { patiently } from './patiently.ts'

/** More buckets than this are written before others are buffered. */
const mostBuffered = 40_000
const perCommand = 1_000

/**
 * Counts imported messages in the statistics, like noteMessages, with as few writes as possible: buckets are buffered over many
 * messages. Counting a message again changes nothing.
 */
export class ImportedStats {
  readonly #db: Db
  readonly #rooms = new Map<string, StatsRoomDoc>()
  readonly #users = new ActiveUsers()

  constructor(db: Db) {
    this.#db = db
  }

  async add(messages: readonly SentFact[]): Promise<void> {
    for (const fact of messages) {
      const { app, room, seq, atMS } = fact
      for (const level of keptLevels(atMS)) {
        const ofRoom = bucketOf(level, app, atMS, room)
        const known = this.#rooms.get(ofRoom._id)
        if (known) known.lastSeq = seq
        else this.#rooms.set(ofRoom._id, { ...ofRoom, room, firstSeq: seq, lastSeq: seq })
        this.#users.add(level, fact)
      }
    }
    if (this.#rooms.size + this.#users.size > mostBuffered) await this.write()
  }

  /** Writes the collected counts. */
  async write(): Promise<void> {
    const [rooms, users] = [[...this.#rooms.values()], this.#users.take()]
    this.#rooms.clear()
    // Most are old: minute buckets exist only for the last days.
    const [recent, old] = [users.filter(({ minutes }) => minutes > 0n), users.filter(({ minutes }) => minutes === 0n)]
    const { statsUsers } = this.#db
    for (const part of inParts(old, perCommand)) {
      const documents = part.map(({ document }) => document)
      await patiently(() => insertMissing(this.#db, statsUsers.collectionName, documents))
    }
    for (const part of inParts(recent, perCommand)) await patiently(() => writeActiveUsers(this.#db, part))
    for (const part of inParts(rooms, perCommand)) await this.#writeRooms(part)
  }

  /** Most are new; existing ones grow. */
  async #writeRooms(rooms: readonly StatsRoomDoc[]): Promise<void> {
    const { statsRooms } = this.#db
    await patiently(() => insertMissing(this.#db, statsRooms.collectionName, rooms))
    const wanted = new Map(rooms.map((room) => [room._id, room]))
    const there = await statsRooms.find({ _id: { $in: [...wanted.keys()] } }).toArray()
    const grown = there.flatMap(({ _id, firstSeq, lastSeq }): AnyBulkWriteOperation<StatsRoomDoc>[] => {
      const room = wanted.get(_id)
      if (!room || (firstSeq <= room.firstSeq && lastSeq >= room.lastSeq)) return []
      const update = { $min: { firstSeq: room.firstSeq }, $max: { lastSeq: room.lastSeq } }
      return [{ updateOne: { filter: { _id }, update } }]
    })
    if (grown.length > 0) await statsRooms.bulkWrite(grown, { ordered: false })
  }
}
