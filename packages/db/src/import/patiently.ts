import { isTimeExpired } from '../transactions/run-writes.ts'

/** A server that is busy for longer is taken for one that is away. */
const maxWaitMS = 60_000

/**
 * Repeats a write for which the server took too long: it is busy with what else is imported, or a process was killed in a
 * transaction. An import does not fail by that.
 * @param write does nothing where it was done before
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
