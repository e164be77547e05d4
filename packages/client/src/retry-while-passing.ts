import { isPassing } from './parley-error.ts'
import { growingPauses, sleep } from './pauses.ts'

/**
 * Retries transient errors with backoff while `isCurrent`; any other error fails.
 * @returns whether the work was done; false when it was no longer current after a pause
 */
export async function retryWhilePassing(work: () => Promise<void>, isCurrent: () => boolean): Promise<boolean> {
  const pauses = growingPauses(500, 10_000)
  for (;;) {
    try {
      await work()
      return true
    } catch (error) {
      if (!isCurrent() || !isPassing(error)) throw error
      await sleep(pauses.next(error))
      if (!isCurrent()) return false
    }
  }
}
