import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import type { GivenLine } from '@parley/contracts/import-line'
import { maxReactions, maxReactionsOfUser } from '@parley/contracts/resources/message'
import { makeFolder } from '@parley/files/make-folder'
import { nameToEmoji } from 'gemoji'
import { plainLine } from '../import/extended-json.ts'
import { linesOf } from '../import/lines-of.ts'

type Given<T extends GivenLine['type']> = Omit<Extract<GivenLine, { type: T }>, 'type'>
export type Reaction = NonNullable<Given<'message'>['reactions']>[number]

/** An API page may be a single object. */
const longestObject = 64 * 1024 * 1024

/** Unvalidated JSON of an export. */
export type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A non-empty text, or a number as text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A time as a number, digits or ISO-8601, as the exports have it. */
export function timeOf(value: unknown): string | number | undefined {
  return typeof value === 'number' ? value : textOf(value)
}

/** A name as Parley accepts it: one line of at most 256 characters. */
export function nameOf(...values: readonly unknown[]): string | undefined {
  const name = values.map(textOf).find((value) => value !== undefined)
  return name
    ?.toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, 256)
    .toWellFormed()
}

/** The emoji of a short name, with or without colons and skin tone. Unknown names stay. */
export function emojiOf(given: string): string {
  const [name = '', tone] = given.replaceAll(/^:|:$/g, '').split('::')
  const tones: Record<string, string> = { 2: '🏻', 3: '🏼', 4: '🏽', 5: '🏾', 6: '🏿' }
  const emoji = nameToEmoji[name]
  return emoji === undefined ? `:${name}:`.slice(0, 64) : `${emoji}${tones[tone?.at(-1) ?? ''] ?? ''}`
}

export function fileContent(url: string, name: string | undefined, mediaType: string | undefined, text?: string) {
  const isImage = mediaType?.startsWith('image') ?? /\.(png|jpe?g|gif|webp|avif)$/i.test(name ?? url)
  const content = { url, ...(name !== undefined && { name }), ...(text !== undefined && { text }) }
  return { message: content, messageType: isImage ? 'image' : 'file' }
}

export class Converted {
  readonly counts = new Map<string, number>()
  readonly lost = new Map<string, number>()
  readonly #onProgress: (lines: number) => void
  readonly #users = new Set<string>()
  readonly #named = new Map<string, string | undefined>()
  readonly #senders = new Map<string, Set<string>>()
  readonly #file: WriteStream
  #lines = 0

  private constructor(file: WriteStream, onProgress: (lines: number) => void) {
    this.#file = file
    // The next write, or the end, reports an error.
    file.on('error', () => undefined)
    this.#onProgress = onProgress
  }

  /** @param folder is created */
  static async begin(folder: string, onProgress: (lines: number) => void): Promise<Converted> {
    await makeFolder(folder)
    return new Converted(createWriteStream(join(folder, 'import.ndjson.part')), onProgress)
  }

  /** The incomplete file. */
  get path(): string {
    return String(this.#file.path)
  }

  lose(kind: string, count = 1): void {
    if (count > 0) this.lost.set(kind, (this.lost.get(kind) ?? 0) + count)
  }

  async user(user: Given<'user'>): Promise<void> {
    if (this.#users.has(user._id)) return
    this.#users.add(user._id)
    await this.#write({ type: 'user', ...user })
  }

  /** Notes a user that the export may lack, such as a bot or a user of another company. */
  name(user: string, nickname?: string): void {
    if (this.#users.has(user)) return
    this.#named.set(user, this.#named.get(user) ?? nickname)
  }

  async room(room: Given<'room'>): Promise<void> {
    await this.#write({ type: 'room', ...room })
  }

  async member(membership: Given<'membership'>): Promise<void> {
    this.name(membership.user)
    await this.#write({ type: 'membership', ...membership })
  }

  async message(message: Given<'message'>): Promise<void> {
    const { room, sender, isDeleted } = message
    this.name(sender)
    const senders = this.#senders.get(room) ?? new Set()
    this.#senders.set(room, senders.add(sender))
    if (isDeleted === true) {
      const { message: _none, reactions: _no, mentions: _nor, pinned: _never, ...rest } = message
      return this.#write({ type: 'message', ...rest })
    }
    const reactions = this.#fitting(message.reactions ?? [])
    for (const { client } of reactions) this.name(client)
    const { mentions = [] } = message
    const some = { ...(reactions.length > 0 && { reactions }), ...(mentions.length > 0 && { mentions }) }
    return this.#write({ type: 'message', ...message, ...some })
  }

  /** The senders of a room, for rooms whose members are not in the export. */
  sendersOf(room: string): readonly string[] {
    return [...(this.#senders.get(room) ?? [])]
  }

  /** The objects of a file. Broken ones are counted as lost. */
  async *read(path: string): AsyncGenerator<Fields> {
    for await (const lines of linesOf(path, { longest: longestObject })) {
      for (const { bytes, fault } of lines) {
        const object = fault === undefined ? parsed(bytes) : undefined
        if (object) yield object
        else this.lose('malformed object')
      }
    }
  }

  /** Adds the users that were named but are not in the export, and closes the file. */
  async end(): Promise<void> {
    for (const [_id, nickname] of this.#named) {
      if (this.#users.has(_id)) continue
      this.lose('user missing from the export: only the ID, and a name if a message has one')
      await this.user({ _id, ...(nickname !== undefined && { nickname }) })
    }
    this.#file.end()
    await finished(this.#file)
  }

  /** The first reactions that a message can hold, without duplicates. */
  #fitting(reactions: readonly Reaction[]): Reaction[] {
    const unique = new Map(reactions.map((reaction) => [`${reaction.client}\0${reaction.reaction}`, reaction]))
    const byUser = Map.groupBy(unique.values(), ({ client }) => client)
    const fitting = [...byUser.values()].flatMap((own) => own.slice(0, maxReactionsOfUser)).slice(0, maxReactions)
    this.lose('reaction beyond the limit of a message', unique.size - fitting.length)
    return fitting
  }

  async #write(line: GivenLine): Promise<void> {
    this.counts.set(line.type, (this.counts.get(line.type) ?? 0) + 1)
    this.#onProgress(++this.#lines)
    if (this.#file.errored) throw this.#file.errored
    if (!this.#file.write(`${JSON.stringify(line)}\n`)) await once(this.#file, 'drain')
  }
}

function parsed(bytes: Buffer): Fields | undefined {
  try {
    return fieldsOf(plainLine(JSON.parse(bytes.toString())))
  } catch {
    // Counted by the caller.
    return undefined
  }
}
