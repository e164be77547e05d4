import { isServerError } from '../server-errors.ts'

/** A server that is busy for longer counts as down. */
const maxWaitMS = 60_000

/**
 * Retries a write that exceeded its time limit, so that an import survives its own load and transactions left by a
 * killed process.
 * @param write must be idempotent
 */
export async function retryExpired<T>(write: () => Promise<T>): Promise<T> {
  const endMS = performance.now() + maxWaitMS
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!isServerError(error, 'MaxTimeMSExpired') || performance.now() > endMS) throw error
    }
  }
}
