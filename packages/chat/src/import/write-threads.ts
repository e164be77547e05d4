import { inParts } from '@parley/async/in-parts'
import type { ImportOf } from '@parley/contracts/import-line'
import type { Db } from '@parley/db/connect'
import { findImportedRoots, growImported, type ImportedThread, joinImported } from '@parley/db/import/imported-threads'
import { removeUnreachedOfThreads } from '@parley/db/import/unreached'
import { key } from '@parley/db/keys'
import type { MessageDoc } from '@parley/db/messages/documents'
import { maxUsersShown } from '@parley/db/threads/thread'
import { termsOfContent } from '../search/search-words.ts'
import { importedMessageId } from './known-ids.ts'

/** Progress of a thread, in the file and in the database. */
interface WrittenThread {
  room: string
  /** Number of its messages in the file so far. */
  seq: number
  /** Number of its messages in the database. */
  storedSeq: number
  /** The sender of the root, then the senders of the thread. */
  users: Set<string>
  /** Users with a line of their own, which has their read position. */
  named: Set<string>
  lastMessageAtMS: number
}

const threadsAtOnce = 1_000

export class ThreadWriter {
  readonly #app: string
  readonly #db: Db
  readonly #threads = new Map<string, WrittenThread>()

  constructor(db: Db, app: string) {
    this.#db = db
    this.#app = app
  }

  /** Reads the existing threads of a batch and the senders of their roots. */
  async load(messages: readonly ImportOf<'message'>[]): Promise<void> {
    const inThreads = messages.filter(({ threadOf }) => threadOf !== undefined)
    if (inThreads.length === 0) return
    const idOf = (room: string, id = '') => importedMessageId(this.#app, room, id)
    const roomOf = new Map(inThreads.map(({ room, threadOf }) => [idOf(room, threadOf), room]))
    const unknown = [...roomOf.keys()].filter((root) => !this.#threads.has(root))
    await removeUnreachedOfThreads(this.#db, unknown)
    const roots = await findImportedRoots(this.#db, unknown)
    // The other roots are in this batch.
    const wanted = new Set(unknown.filter((root) => !roots.has(root)))
    const senders = new Map(
      wanted.size === 0 ? [] : messages.map(({ room, _id, sender }) => [idOf(room, _id), sender] as const),
    )
    for (const root of unknown) {
      const { sender = senders.get(root), thread } = roots.get(root) ?? {}
      if (sender === undefined) throw new Error('the file changed during the import: a root is missing')
      this.#threads.set(root, {
        room: roomOf.get(root) ?? '',
        seq: 0,
        storedSeq: thread?.seq ?? 0,
        users: new Set([sender]),
        named: new Set(),
        lastMessageAtMS: 0,
      })
    }
  }

  /** Returns the thread of the next message, and updates its users and time. */
  take({ room, threadOf, sender, createdAt }: ImportOf<'message'>): WrittenThread | undefined {
    if (threadOf === undefined) return undefined
    const thread = this.#threads.get(importedMessageId(this.#app, room, threadOf))
    if (!thread) throw new Error('the file changed during the import: a root is missing')
    thread.users.add(sender)
    thread.lastMessageAtMS = createdAt
    return thread
  }

  /** Writes the growth of threads. @param messages thread messages that are already inserted */
  async grow(messages: readonly MessageDoc[]): Promise<void> {
    const grown = new Map<string, ImportedThread>()
    for (const { threadOf: root = '', seq, _id, createdAtMS, room } of messages) {
      const { users = new Set<string>() } = this.#threads.get(root) ?? {}
      const from = grown.get(root)?.from ?? seq - 1
      grown.set(root, {
        ...{ app: this.#app, room, root, from, seq, lastMessageID: _id, lastMessageAtMS: createdAtMS },
        users: [...users].slice(0, maxUsersShown),
      })
    }
    const words = messages.flatMap(
      ({ _id, app, room, threadOf = '', seq, sender, messageType, createdAtMS, content }) => {
        const found = termsOfContent(content)
        const text = {
          _id,
          app,
          roomKey: key(app, room),
          seq,
          sender,
          messageType,
          createdAtMS,
          threadOf,
          words: found,
        }
        return found.length > 0 ? [text] : []
      },
    )
    await growImported(this.#db, [...grown.values()], words)
  }

  /** Notes that a user of a thread has a line of their own. */
  name(room: string, root: string, user: string): void {
    this.#threads.get(importedMessageId(this.#app, room, root))?.named.add(user)
  }

  seqOf(room: string, root: string): number {
    return this.#threads.get(importedMessageId(this.#app, room, root))?.seq ?? 0
  }

  /** Call this after all lines are read. Adds the users without a line of their own. */
  async finish(): Promise<void> {
    const threads = [...this.#threads].map(([root, { room, seq, storedSeq, users, named, lastMessageAtMS }]) => {
      const existed = storedSeq > 0
      const others = [...users].filter((user) => !named.has(user))
      return { app: this.#app, room, root, users: others, named: [...named], seq, lastMessageAtMS, existed }
    })
    for (const some of inParts(threads, threadsAtOnce)) await joinImported(this.#db, some)
  }
}
