import { isPassing, ParleyError } from './parley-error.ts'
import { growingPauses, sleep } from './pauses.ts'

/** Works again, after growing pauses, while it fails with what may pass and `isCurrent`; fails with everything else. */
export async function retryWhilePassing(work: () => Promise<void>, isCurrent: () => boolean): Promise<void> {
  const pauses = growingPauses(500, 10_000)
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isCurrent() || !(error instanceof ParleyError) || !isPassing(error)) throw error
      await sleep(Math.max(pauses.next(), error.retryAfterMS ?? 0))
      if (!isCurrent()) return
    }
  }
}
