import type { UserCalls } from '../calls/user-calls.ts'
import type { Message } from '../generated/types.ts'
import { rereading } from '../rereading.ts'
import { createStore, type Store } from '../store.ts'
import { withReplaced } from '../with-replaced.ts'
import { isOutdated } from './outdated.ts'

export interface Pins {
  list: Store<readonly Message[]>
  open: () => void
  /** Call it when the pins must be reread. */
  changed: () => void
  loggedIn: () => void
  heard: (message: Message) => void
  gone: (isGone: (message: Message) => boolean) => void
}

/** Maximum number of pins shown. */
const most = 50

/** A room's latest pinned messages, however old: read when the room opens, then kept up to date by events. */
export function createPins(id: string, calls: Pick<UserCalls, 'listPins'>, isConnected: () => boolean): Pins {
  const list = createStore<readonly Message[]>([])
  const read = async () => list.set((await calls.listPins({ id, limit: most })).data)
  const { ask, loggedIn } = rereading(read, isConnected)
  let isWanted = false
  const changed = () => {
    if (isWanted) ask()
  }
  return {
    ...{ list, changed, loggedIn },
    open() {
      isWanted = true
      ask()
    },
    heard(message) {
      const known = list.get().find(({ _id }) => _id === message._id)
      if ((message.pinned === true) !== (known !== undefined)) changed()
      else if (known && !isOutdated(message, known)) list.set(withReplaced(list.get(), known, message))
    },
    gone(isGone) {
      const left = list.get().filter((message) => !isGone(message))
      if (left.length < list.get().length) list.set(left)
    },
  }
}
