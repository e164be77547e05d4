import type { UserCalls } from '../calls/user-calls.ts'
import type { Message } from '../generated/types.ts'
import { type Rereading, rereading } from '../rereading.ts'
import { createStore, type Store } from '../store.ts'
import { withReplaced } from '../with-replaced.ts'
import { isOutdated } from './outdated.ts'

/** As many are shown. */
const most = 50

/** The latest pinned messages of a room, however far back they are: read when the room is opened, then kept by events. */
export class Pins {
  readonly #list = createStore<readonly Message[]>([])
  readonly list: Store<readonly Message[]> = this.#list
  readonly #reading: Rereading
  #isWanted = false

  constructor(id: string, calls: Pick<UserCalls, 'listPins'>, isConnected: () => boolean) {
    const read = async () => this.#list.set((await calls.listPins({ id, limit: most })).data)
    this.#reading = rereading(read, isConnected)
  }

  open(): void {
    this.#isWanted = true
    this.#reading.ask()
  }

  /** What is to be read again. */
  changed(): void {
    if (this.#isWanted) this.#reading.ask()
  }

  loggedIn(): void {
    this.#reading.loggedIn()
  }

  heard(message: Message): void {
    const known = this.#list.get().find(({ _id }) => _id === message._id)
    if ((message.pinned === true) !== (known !== undefined)) return this.changed()
    if (known && !isOutdated(message, known)) this.#list.set(withReplaced(this.#list.get(), known, message))
  }

  gone(isGone: (message: Message) => boolean): void {
    const left = this.#list.get().filter((message) => !isGone(message))
    if (left.length < this.#list.get().length) this.#list.set(left)
  }
}
