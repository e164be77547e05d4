import { isTransient } from './parley-error.ts'
import { createBackoff, sleep } from './pauses.ts'

/**
 * Retries transient errors with backoff while `isCurrent`. Throws any other error.
 * @returns whether the work was done; false if it became obsolete during a pause
 */
export async function retryTransient(work: () => Promise<void>, isCurrent: () => boolean): Promise<boolean> {
  const backoff = createBackoff(500, 10_000)
  for (;;) {
    try {
      await work()
      return true
    } catch (error) {
      if (!isCurrent() || !isTransient(error)) throw error
      await sleep(backoff.next(error))
      if (!isCurrent()) return false
    }
  }
}
