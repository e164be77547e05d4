import { isTimeExpired } from '../transactions/run-writes.ts'

/** A server that is busy for longer is taken for one that is away. */
const maxWaitMS = 60_000

/**
 * Retries a write that took the server too long: it is busy with the import, or a killed process left a transaction. An
 * import must not fail by that.
 * @param write is idempotent
 */
export async function patiently<T>(write: () => Promise<T>): Promise<T> {
  const endMS = performance.now() + maxWaitMS
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!isTimeExpired(error) || performance.now() > endMS) throw error
    }
  }
}
