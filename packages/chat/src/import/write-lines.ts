import type { ImportLine, ImportOf } from '@parley/contracts/import-line'
import type { Db } from '@parley/db/connect'
import { saveImportedDeletions } from '@parley/db/import/imported-deletions'
import {
  advanceImported,
  findIdsBySeq,
  ImportConflict,
  type ImportedAdvance,
  insertImported,
  insertImportedRooms,
  insertImportedUsers,
} from '@parley/db/import/imported-rooms'
import { ImportedStats } from '@parley/db/import/imported-stats'
import { markImporting } from '@parley/db/import/importing'
import { retryBusy } from '@parley/db/import/retry-busy'
import { removeUnreached } from '@parley/db/import/unreached'
import { key } from '@parley/db/keys'
import type { MessageDoc } from '@parley/db/messages/documents'
import { flushRooms } from '@parley/db/room-buffer/flush'
import { findRoomsByKey } from '@parley/db/rooms/rooms'
import { findAttachments } from './import-attachments.ts'
import { toDeletion, toMessageDoc, toRoomDoc, toUserDoc } from './imported-docs.ts'
import { KnownFiles } from './known-ids.ts'
import { ThreadWriter } from './write-threads.ts'

/** Progress of a room, in the file and in the database. */
interface WrittenRoom {
  /** Number of its messages in the file so far. */
  seq: number
  /** Their times in the file, in order. In the database, equal times are separated. */
  sentAtMS: number[]
  lastTimeMS: number
  /** Number of its messages in the database; -1 before the first read. */
  storedSeq: number
  /** New messages must be later than this: the last existing message, and any deletion of all messages. */
  afterMS: number
  /** The highest time of a message or change. */
  clockMS: number
}

interface FilesOfLines {
  known: KnownFiles
  /** Stores files; without it, their lines have no effect. */
  store?: ((lines: readonly ImportOf<'file'>[]) => Promise<void>) | undefined
}

/**
 * Writes users, files, rooms and messages in file order. A message's seq is its position in its room. Messages that
 * exist from an interrupted import, or from an earlier import of the same file, are recognised and kept.
 */
export class LineWriter {
  readonly rooms = new Map<string, WrittenRoom>()
  readonly #threads: ThreadWriter
  readonly #stats: ImportedStats
  readonly #db: Db
  readonly #app: string

  readonly #files: FilesOfLines

  constructor(db: Db, app: string, files: FilesOfLines = { known: new KnownFiles(app) }) {
    this.#db = db
    this.#app = app
    this.#files = files
    this.#threads = new ThreadWriter(db, app)
    this.#stats = new ImportedStats(db)
  }

  async write(lines: readonly ImportLine[]): Promise<void> {
    const of = <T extends ImportLine['type']>(type: T) => lines.filter((line) => line.type === type) as ImportOf<T>[]
    await insertImportedUsers(
      this.#db,
      of('user')
        .filter(({ erased }) => erased !== true)
        .map((user) => toUserDoc(this.#app, user)),
    )
    await this.#files.store?.(of('file'))
    const docs = of('room').map((room) => toRoomDoc(this.#app, room))
    await insertImportedRooms(this.#db, docs)
    for (const { _id } of of('room')) this.rooms.set(_id, newWrittenRoom())
    const messages = of('message')
    if (messages.length > 0) await this.#writeMessages(messages)
    for (const { room, threadOf, user } of of('thread')) this.#threads.name(room, threadOf, user)
    const deletions = of('deletion').map((line) => toDeletion(this.#app, line))
    // Before the members: their unread counts depend on these.
    await saveImportedDeletions(this.#db, deletions)
  }

  async #writeMessages(messages: readonly ImportOf<'message'>[]): Promise<void> {
    await this.#load([...new Set(messages.map(({ room }) => room))])
    await this.#threads.load(messages)
    const fresh: MessageDoc[] = []
    const lines: ImportOf<'message'>[] = []
    const old: MessageDoc[] = []
    const advances = new Map<string, ImportedAdvance>()
    for (const message of messages) {
      const room = this.#room(message.room)
      const before = Math.max(room.seq, room.storedSeq)
      const counted = this.#threads.take(message) ?? room
      counted.seq++
      if (counted === room) room.sentAtMS.push(message.createdAt)
      const exists = counted.seq <= counted.storedSeq
      // Every message of a room has a unique time, which cursors rely on.
      const afterMS = Math.max(room.lastTimeMS, exists ? 0 : room.afterMS)
      room.lastTimeMS = Math.max(message.createdAt, afterMS + 1)
      // Readers of an existing room page by updated time, so new messages come after it.
      const { updatedAt } = message
      const knownMS = room.storedSeq === 0 && updatedAt !== undefined ? Math.max(room.lastTimeMS, updatedAt) : undefined
      const updatedAtMS = knownMS ?? (exists ? room.lastTimeMS : Math.max(room.lastTimeMS, room.clockMS + 1))
      const times = { createdAtMS: room.lastTimeMS, updatedAtMS }
      const document = toMessageDoc(this.#app, message, counted.seq, times)
      if (exists) {
        old.push(document)
        continue
      }
      room.clockMS = Math.max(room.clockMS, updatedAtMS)
      fresh.push(document)
      lines.push(message)
      const roomKey = key(this.#app, message.room)
      const advance = advances.get(roomKey) ?? { roomKey, from: before, clockMS: 0 }
      advance.clockMS = Math.max(advance.clockMS, updatedAtMS)
      if (counted === room) advance.last = document
      else advance.lastThreadAtMS = room.lastTimeMS
      advances.set(roomKey, advance)
    }
    await this.#requireSame(old)
    const attached = await findAttachments(this.#db, this.#app, lines, this.#files.known)
    for (const [n, line] of lines.entries()) {
      const [document, attachments] = [fresh[n], attached.get(line)]
      if (document && attachments) document.attachments = attachments
    }
    await insertImported(this.#db, fresh)
    await this.#threads.grow(fresh.filter(({ threadOf }) => threadOf !== undefined))
    await advanceImported(this.#db, [...advances.values()])
    // Includes existing messages: an interrupted import may have left them uncounted.
    const ofRooms = [...old, ...fresh].filter(({ threadOf }) => threadOf === undefined)
    const facts = ofRooms.map(({ app, room, sender: user, seq, createdAtMS: atMS }) => ({ app, room, user, seq, atMS }))
    await this.#stats.add(facts)
  }

  seqInThread(room: string, root: string): number {
    return this.#threads.seqOf(room, root)
  }

  /** Call this after all lines are written. */
  async finish(): Promise<void> {
    await this.#threads.finish()
    await this.#stats.write()
  }

  /** Closes rooms to sends, and reads how many messages the database has, once per room. */
  async #load(rooms: readonly string[]): Promise<void> {
    const unknown = rooms.filter((room) => this.#room(room).storedSeq === -1)
    const keys = unknown.map((room) => key(this.#app, room))
    await retryBusy(() => markImporting(this.#db, keys))
    await retryBusy(() => removeUnreached(this.#db, keys))
    await retryBusy(() => flushRooms(this.#db, keys))
    const found = await findRoomsByKey(this.#db, keys)
    for (const { id, seq, clockMS, lastMessageAtMS, deletedUpToMS = 0 } of found) {
      const room = this.#room(id)
      room.storedSeq = seq
      if (seq === 0) continue
      room.afterMS = Math.max(lastMessageAtMS, deletedUpToMS)
      room.clockMS = clockMS
    }
  }

  /** @throws ImportConflict if a room has another message at one of these positions */
  async #requireSame(messages: readonly MessageDoc[]): Promise<void> {
    for (const [roomKey, some] of Map.groupBy(messages, ({ roomKey }) => roomKey)) {
      const ids = await findIdsBySeq(this.#db, roomKey, some[0]?.seq ?? 1, some.at(-1)?.seq ?? 0)
      for (const { _id, seq, room, clientMessageID } of some) {
        if (ids.get(seq) === _id) continue
        const where = `the room ${JSON.stringify(room)} has another message instead of ${clientMessageID} (seq ${seq})`
        throw new ImportConflict(where)
      }
    }
  }

  #room(id: string): WrittenRoom {
    const room = this.rooms.get(id)
    if (!room) throw new Error(`the file changed during the import: no line for the room ${JSON.stringify(id)}`)
    return room
  }
}

export function newWrittenRoom(): WrittenRoom {
  return { seq: 0, sentAtMS: [], lastTimeMS: 0, storedSeq: -1, afterMS: 0, clockMS: 0 }
}
