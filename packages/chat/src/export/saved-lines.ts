import type { Db } from '@parley/db/connect'
import { keyRange } from '@parley/db/keys'
import type { MessageDoc, SavedMessageDoc } from '@parley/db/messages/documents'
import type { SavedIn } from '@parley/db/messages/saved-messages'
import { KnownIds, messageHash } from '../import/known-ids.ts'
import { bookmarkLine, reminderLine } from './lines.ts'

const lists = { bookmarks: bookmarkLine, reminders: reminderLine } satisfies Record<SavedIn, unknown>

/**
 * The bookmarks and reminders of an app. An import refuses lines for unknown messages, so only those of exported
 * messages are exported. Memory grows with the number of saved messages, not with that of all messages.
 */
export class SavedMessages {
  readonly #db: Db
  readonly #app: string
  readonly #saved = new KnownIds()
  readonly #exported = new KnownIds()

  constructor(db: Db, app: string) {
    this.#db = db
    this.#app = app
  }

  /** Call this before the messages are exported. */
  async look(): Promise<void> {
    for await (const { saved } of this.#all()) this.#saved.add(this.#hashOf(saved))
  }

  /** Notes that a message is exported. */
  note({ room, _id: message }: Pick<MessageDoc, 'room' | '_id'>): void {
    const hash = this.#hashOf({ room, message })
    if (this.#saved.has(hash)) this.#exported.add(hash)
  }

  /** Call this after the messages are exported. */
  async *lines(): AsyncGenerator<{ user: string; line: string }> {
    for await (const { list, saved } of this.#all()) {
      if (this.#exported.has(this.#hashOf(saved))) yield { user: saved.user, line: lists[list](saved) }
    }
  }

  async *#all(): AsyncGenerator<{ list: SavedIn; saved: SavedMessageDoc }> {
    for (const list of ['bookmarks', 'reminders'] as const) {
      for await (const saved of this.#db[list].find({ _id: keyRange(this.#app) })) yield { list, saved }
    }
  }

  #hashOf({ room, message }: Pick<SavedMessageDoc, 'room' | 'message'>): bigint {
    return messageHash(this.#app, room, message)
  }
}
