import { KeyedMutex } from '@parley/async/keyed-mutex'
import type { EmitLock } from '@parley/chat/send/new-message'
import { ApiError } from '@parley/contracts/errors'

/** Maximum number of waiting emits per socket, which bounds the memory that a client takes. */
const maxWaiting = 100

/**
 * Runs an emit's work concurrently with others. Only the part between `wait` and `release` runs in the order of the
 * socket's emits to this room. The lock is released with the end of the work at the latest.
 */
export async function withEmitLock<T>(
  { data }: { data: { emits: KeyedMutex | undefined } },
  emit: string,
  room: string,
  work: (lock: EmitLock) => Promise<T>,
): Promise<T> {
  const emits = (data.emits ??= new KeyedMutex())
  const lock = emits.lock(`${emit}\0${room}`)
  try {
    return await work({
      wait() {
        if (lock.isReady) return undefined
        if (emits.waiting < maxWaiting) return lock.wait()
        throw new ApiError('TOO_MANY_REQUESTS', `${maxWaiting} emits of the socket wait for earlier ones`)
      },
      release: () => lock.release(),
    })
  } finally {
    lock.release()
  }
}
