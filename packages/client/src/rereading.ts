import { sleep } from './pauses.ts'
import { retryTransient } from './retry-transient.ts'

/** Pause between two reads of the same state. */
const pauseMS = 500

export function rereading(read: () => Promise<void>, isConnected: () => boolean) {
  let isDue = false
  let isReading = false
  async function readWhileConnected(): Promise<void> {
    const isRead = await retryTransient(read, isConnected).catch(() => false)
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
    /** Requests a read. A request during a read causes one more. Without a connection, the read waits for `loggedIn`. */
    ask: () => {
      isDue = true
      begin()
    },
    /** Call it after each login: runs a read that is still due. */
    loggedIn: begin,
  }
}
export type Rereading = ReturnType<typeof rereading>
