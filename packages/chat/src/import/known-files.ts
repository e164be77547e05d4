import type { ImportOf } from '@parley/contracts/import-line'
import { digest } from '@parley/db/apps/apps'
import { key } from '@parley/db/keys'
import { KnownIds, messageHash } from './known-ids.ts'

/** The files that have a line, in some 64 bytes per file. */
export class KnownFiles {
  readonly #app: string
  readonly #all = new KnownIds()
  /** Each file with its sender; '' for any user. */
  readonly #of = new KnownIds()
  readonly #gone = new KnownIds()

  constructor(app: string) {
    this.#app = app
  }

  add({ _id, owner = '', status }: ImportOf<'file'>): void {
    this.#all.add(this.#hash(_id))
    this.#of.add(this.#hash(_id, status === 'gone' ? '' : owner))
    if (status === 'gone') this.#gone.add(this.#hash(_id))
  }

  has(id: string): boolean {
    return this.#all.has(this.#hash(id))
  }

  isGone(id: string): boolean {
    return this.#gone.has(this.#hash(id))
  }

  isSentBy(id: string, sender: string): boolean {
    return this.#of.has(this.#hash(id)) || this.#of.has(this.#hash(id, sender))
  }

  #hash(id: string, owner = ''): bigint {
    return messageHash(this.#app, owner, id)
  }
}

/**
 * The ID of an imported file in the app. It is deterministic, so that a second import finds the file, and unlike the
 * one in the line, which another app may have.
 */
export function importedFileId(app: string, id: string): string {
  return digest(key(app, 'file', id)).slice(0, 24)
}
