import { sleep } from './pauses.ts'
import { retryWhilePassing } from './retry-while-passing.ts'

/** Between two readings of the same thing. */
const pauseMS = 500

export interface Rereading {
  /** Has it read, and read once more when this is called meanwhile. Without a connection nothing is read. */
  ask: () => void
  /** After a login: has it read if the connection ended before it was. */
  loggedIn: () => void
}

export function rereading(read: () => Promise<void>, isConnected: () => boolean): Rereading {
  let isDue = false
  let isReading = false
  async function readWhileConnected(): Promise<void> {
    const isRead = await retryWhilePassing(read, isConnected).catch(() => false)
    if (!isRead && !isConnected()) isDue = true
  }
  async function work(): Promise<void> {
    while (isDue && isConnected()) {
      isDue = false
      await readWhileConnected()
      if (isDue) await sleep(pauseMS)
    }
    isReading = false
  }
  function begin(): void {
    if (isReading) return
    isReading = true
    void work()
  }
  return {
    ask() {
      isDue = true
      begin()
    },
    loggedIn: begin,
  }
}
