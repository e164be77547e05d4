import type { Turn } from '@parley/chat/messages/turn'
import { ApiError } from '@parley/contracts/errors'

/** Of one socket, so that no client can fill the memory while something before them takes long. */
const mostWaiting = 100

interface Place {
  isOver: boolean
  /** Somebody waits for it to come. */
  come: (() => void) | undefined
}

/** The emits of a socket that are in progress and stay in their order: see `inTurn`. */
export class Turns {
  readonly #queues = new Map<string, Place[]>()
  #waiting = 0

  /** A turn after all that were taken before under this name and are not over yet. */
  take(name: string): Turn {
    const queue = this.#queues.get(name) ?? []
    const place: Place = { isOver: false, come: undefined }
    queue.push(place)
    this.#queues.set(name, queue)
    return {
      come: () => (queue[0] === place ? undefined : this.#wait(place)),
      over: () => {
        if (place.isOver) return
        place.isOver = true
        while (queue[0]?.isOver) queue.shift()
        if (queue.length === 0) this.#queues.delete(name)
        queue[0]?.come?.()
      },
    }
  }

  async #wait(place: Place): Promise<void> {
    if (this.#waiting >= mostWaiting) {
      throw new ApiError('TOO_MANY_REQUESTS', `${mostWaiting} emits of the socket wait for earlier ones`)
    }
    this.#waiting++
    await new Promise<void>((resolve) => {
      place.come = resolve
    })
    this.#waiting--
  }
}

/**
 * Runs an emit's work concurrently with others, except the part after its turn: that keeps the order in which the
 * socket emitted to this room. The turn ends with the work, at the latest.
 */
export async function inTurn<T>(
  { data }: { data: { turns: Turns | undefined } },
  emit: string,
  room: string,
  work: (turn: Turn) => Promise<T>,
): Promise<T> {
  data.turns ??= new Turns()
  const turn = data.turns.take(`${emit}\0${room}`)
  try {
    return await work(turn)
  } finally {
    turn.over()
  }
}
