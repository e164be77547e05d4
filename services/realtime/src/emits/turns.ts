import { KeyedMutex } from '@parley/async/keyed-mutex'
import type { Turn } from '@parley/chat/messages/turn'
import { ApiError } from '@parley/contracts/errors'

/** The most emits of one socket that wait for earlier ones, which bounds a client's memory. */
const mostWaiting = 100

/**
 * Runs an emit's work concurrently with others, except for the part after its turn, which keeps the order of the socket's emits
 * to this room. The turn ends with the work at the latest.
 */
export async function inTurn<T>(
  { data }: { data: { emits: KeyedMutex | undefined } },
  emit: string,
  room: string,
  work: (turn: Turn) => Promise<T>,
): Promise<T> {
  const emits = (data.emits ??= new KeyedMutex())
  const lock = emits.lock(`${emit}\0${room}`)
  try {
    return await work({
      come() {
        if (lock.isReady) return undefined
        if (emits.waiting < mostWaiting) return lock.wait()
        throw new ApiError('TOO_MANY_REQUESTS', `${mostWaiting} emits of the socket wait for earlier ones`)
      },
      over: () => lock.release(),
    })
  } finally {
    lock.release()
  }
}
