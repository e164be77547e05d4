import { isTimeExpired } from '../transactions/run-writes.ts'

/** A server busy for longer counts as away. */
const maxWaitMS = 60_000

/**
 * Retries a write that took the server too long: it is busy with the import, or a killed process left a transaction, and neither
 * must fail the import.
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
