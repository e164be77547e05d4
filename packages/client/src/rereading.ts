import { sleep } from './pauses.ts'
import { retryWhilePassing } from './retry-while-passing.ts'

/** Between two readings of the same thing. */
const pauseMS = 500

/**
 * Makes the function that has something read, and read once more when it is called meanwhile. Without a connection nothing is
 * read: the next login asks again.
 */
export function rereading(read: () => Promise<void>, isConnected: () => boolean): () => void {
  let isDue = false
  let isReading = false
  async function work(): Promise<void> {
    while (isDue && isConnected()) {
      isDue = false
      await retryWhilePassing(read, isConnected).catch(() => undefined)
      if (isDue) await sleep(pauseMS)
    }
    isReading = false
  }
  return () => {
    isDue = true
    if (isReading) return
    isReading = true
    void work()
  }
}
