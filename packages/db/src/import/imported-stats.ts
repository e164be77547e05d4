import { inParts } from '@parley/async/in-parts'
import type { AnyBulkWriteOperation } from 'mongodb'
import type { Db } from '../connect.ts'
import { bucketOf, keptLevels, type SentFact, type StatsRoomDoc, type StatsUserDoc } from '../stats-buckets.ts'
import { insertMissing } from '../transactions/run-writes.ts'
import { patiently } from './patiently.ts'

/** More buckets than this are written before others are gathered. */
const mostGathered = 40_000
const perCommand = 1_000

/**
 * Counts imported messages in the statistics, as noteMessages does, with as few writes as possible: buckets are gathered over
 * many messages. Counted again, a message changes nothing.
 */
export class ImportedStats {
  readonly #db: Db
  readonly #rooms = new Map<string, StatsRoomDoc>()
  readonly #users = new Map<string, StatsUserDoc>()

  constructor(db: Db) {
    this.#db = db
  }

  async add(messages: readonly SentFact[]): Promise<void> {
    for (const { app, room, user, seq, atMS } of messages) {
      for (const level of keptLevels(atMS)) {
        const ofRoom = bucketOf(level, app, atMS, room)
        const known = this.#rooms.get(ofRoom._id)
        if (known) known.lastSeq = seq
        else this.#rooms.set(ofRoom._id, { ...ofRoom, room, firstSeq: seq, lastSeq: seq })
        const ofUser = bucketOf(level, app, atMS, user)
        if (!this.#users.has(ofUser._id)) this.#users.set(ofUser._id, { ...ofUser, user })
      }
    }
    if (this.#rooms.size + this.#users.size > mostGathered) await this.write()
  }

  /** Writes what is gathered. */
  async write(): Promise<void> {
    const [rooms, users] = [[...this.#rooms.values()], [...this.#users.values()]]
    this.#rooms.clear()
    this.#users.clear()
    const { statsUsers } = this.#db
    for (const part of inParts(users, perCommand))
      await patiently(() => insertMissing(this.#db, statsUsers.collectionName, part))
    for (const part of inParts(rooms, perCommand)) await this.#writeRooms(part)
  }

  /** Most are new; those that are there grow. */
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
