import type { Message, ServerEvents } from '../generated/types.ts'
import { ThreadHandle, type ThreadParts } from './thread-handle.ts'

/** The threads of a room that the app has asked for. */
export class Threads {
  readonly #roomID: string
  readonly #parts: ThreadParts
  readonly #threads = new Map<string, ThreadHandle>()

  constructor(roomID: string, parts: ThreadParts) {
    this.#roomID = roomID
    this.#parts = parts
  }

  /** @param root the message that it is about, where it is loaded */
  of(id: string, root: Message | undefined): ThreadHandle {
    const thread = this.#threads.get(id) ?? new ThreadHandle(id, this.#roomID, this.#parts)
    if (root && !thread.root.get()) thread.heardRoot(root)
    this.#threads.set(id, thread)
    return thread
  }

  /** A message of any thread that is loaded. */
  get(messageID: string): Message | undefined {
    for (const thread of this.#all()) {
      const message = thread.timeline.get(messageID)
      if (message) return message
    }
    return undefined
  }

  /** A message of the room or of one of its threads was sent or changed. */
  heard(message: Message): void {
    if (message.threadOf === undefined) this.#threads.get(message._id)?.heardRoot(message)
    else this.#threads.get(message.threadOf)?.heard(message)
  }

  /** The user has read up to a message of a thread, on another device. */
  heardRead(threadOf: string, messageID: string): void {
    this.#threads.get(threadOf)?.heardRead(messageID)
  }

  heardDeletion(deletion: ServerEvents['messageDeleted']): void {
    for (const thread of this.#all()) thread.heardDeletion(deletion)
  }

  heardHidden(messageIDs: readonly string[]): void {
    for (const thread of this.#all()) thread.heardHidden(messageIDs)
  }

  async catchUp(): Promise<void> {
    for (const thread of this.#all()) await thread.catchUp()
  }

  loggedIn(): void {
    for (const thread of this.#all()) thread.loggedIn()
  }

  pendingChanged(): void {
    for (const thread of this.#all()) thread.pendingChanged()
  }

  close(): void {
    for (const thread of this.#all()) thread.close()
  }

  #all(): ThreadHandle[] {
    return [...this.#threads.values()]
  }
}
