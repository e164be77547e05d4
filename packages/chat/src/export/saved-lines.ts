import type { Db } from '@parley/db/connect'
import { keyRange } from '@parley/db/keys'
import type { MessageDoc, SavedMessageDoc } from '@parley/db/messages/documents'
import type { SavedIn } from '@parley/db/messages/saved-messages'
import { KnownIds, messageHash } from '../import/known-ids.ts'
import type { ExportedFiles } from './exported-files.ts'
import { bookmarkLine, type LeftOut, reminderLine, scheduledLine } from './lines.ts'

const lists = { bookmarks: bookmarkLine, reminders: reminderLine } satisfies Record<SavedIn, unknown>

/**
 * The bookmarks, reminders and scheduled messages of an app. An import refuses lines for unknown messages, so only
 * those of exported messages are exported. Memory grows with the number of saved messages, not with that of all messages.
 */
export class SavedMessages {
  readonly #db: Db
  readonly #app: string
  readonly #saved = new KnownIds()
  readonly #exported = new KnownIds()
  /** Rooms of scheduled messages, and whether they are exported. */
  readonly #rooms = new Map<string, boolean>()

  constructor(db: Db, app: string) {
    this.#db = db
    this.#app = app
  }

  /** Call this before the messages are exported. */
  async prepare(): Promise<void> {
    for await (const { saved } of this.#all()) this.#saved.add(this.#hashOf(saved))
    for await (const { room, replyTo: message } of this.#scheduled()) {
      this.#rooms.set(room, false)
      if (message !== undefined) this.#saved.add(this.#hashOf({ room, message }))
    }
  }

  recordRoom(id: string): void {
    if (this.#rooms.has(id)) this.#rooms.set(id, true)
  }

  record({ room, _id: message }: Pick<MessageDoc, 'room' | '_id'>): void {
    const hash = this.#hashOf({ room, message })
    if (this.#saved.has(hash)) this.#exported.add(hash)
  }

  /** Call this after the messages are exported. */
  async *lines(leftOut: LeftOut, files?: ExportedFiles): AsyncGenerator<{ users: string[]; line: string }> {
    for await (const { list, saved } of this.#all()) {
      if (this.#exported.has(this.#hashOf(saved))) yield { users: [saved.user], line: lists[list](saved) }
    }
    for await (const { attachments, ...scheduled } of this.#scheduled()) {
      const { room, replyTo: message, sender: user } = scheduled
      const isInHistory = message === undefined || this.#exported.has(this.#hashOf({ room, message }))
      if (this.#rooms.get(room) !== true) continue
      if (!isInHistory && scheduled.thread) {
        leftOut.messages++
        continue
      }
      if (attachments && !files) leftOut.files++
      const ofFiles = attachments && (await files?.linesOf(attachments))
      for (const line of ofFiles?.lines ?? []) yield { users: ofFiles?.owners ?? [], line }
      // Retention may have removed the quoted message.
      const { replyTo: _gone, ...rest } = scheduled
      const known = isInHistory ? scheduled : rest
      yield { users: [user], line: scheduledLine({ ...known, ...(files && attachments && { attachments }) }) }
    }
  }

  async *#all(): AsyncGenerator<{ list: SavedIn; saved: SavedMessageDoc }> {
    for (const list of ['bookmarks', 'reminders'] as const) {
      for await (const saved of this.#db[list].find({ _id: keyRange(this.#app) })) yield { list, saved }
    }
  }

  #scheduled() {
    return this.#db.scheduled.find({ _id: keyRange(this.#app), isSystem: { $exists: false } })
  }

  #hashOf({ room, message }: Pick<SavedMessageDoc, 'room' | 'message'>): bigint {
    return messageHash(this.#app, room, message)
  }
}
