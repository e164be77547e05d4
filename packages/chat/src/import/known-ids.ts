import { hash } from 'node:crypto'
import type { ImportOf } from '@parley/contracts/import-line'
import { digest } from '@parley/db/apps/apps'
import { key } from '@parley/db/keys'

/** A set of IDs stored as 64-bit digests, at 16 to 32 bytes per ID whatever its length. */
export class KnownIds {
  #table = new BigUint64Array(1 << 16)
  #size = 0

  /** Adds an ID. Returns whether it was already in the set. */
  add(id: bigint): boolean {
    if (this.#size * 2 > this.#table.length) this.#grow()
    const at = this.#find(id)
    if (this.#table[at] === id) return true
    this.#table[at] = id
    this.#size++
    return false
  }

  has(id: bigint): boolean {
    return this.#table[this.#find(id)] === id
  }

  /** The slot of an ID, or the free slot for it. Zero marks an empty slot. */
  #find(id: bigint): number {
    const mask = this.#table.length - 1
    let at = Number(id & BigInt(mask))
    while (this.#table[at] !== 0n && this.#table[at] !== id) at = (at + 1) & mask
    return at
  }

  #grow(): void {
    const old = this.#table
    this.#table = new BigUint64Array(old.length * 2)
    for (const id of old) if (id !== 0n) this.#table[this.#find(id)] = id
  }
}

/** Hash that identifies a message of a room: 64 bits, never zero. */
export function messageHash(app: string, room: string, id: string): bigint {
  const digest = hash('sha256', `${app}\0${room}\0${id}`, 'buffer')
  return digest.readBigUInt64BE(0) || 1n
}

/**
 * The Parley ID of an imported message. It is deterministic, so that a second import finds the message, and begins with
 * time zero, unlike IDs of sent messages, so that rebuild-stream.ts skips it.
 */
export function importedMessageId(app: string, room: string, id: string): string {
  return `00000000${messageHash(app, room, id).toString(16).padStart(16, '0')}`
}

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

/** The ID of an imported file: deterministic, so that a second import finds it, and unlike other apps' IDs. */
export function importedFileId(app: string, id: string): string {
  return digest(key(app, 'file', id)).slice(0, 24)
}
