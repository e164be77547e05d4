import { setTimeout as pause } from 'node:timers/promises'

interface RunEveryOptions {
  /** Called with the error of a failed run; the next run starts as usual. */
  onError: (error: Error) => void
  signal: AbortSignal
}

/**
 * Runs the work at once, and again about `everyMS` after each run ends, so that runs never overlap. Settles once the
 * signal has aborted and the current run has ended; never rejects.
 */
export async function runEvery(
  everyMS: number,
  work: () => unknown,
  { onError, signal }: RunEveryOptions,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await work()
    } catch (error) {
      onError(error as Error)
    }
    // Fails only when the signal aborts.
    await pause(untilNextMS(everyMS), undefined, { signal }).catch(() => undefined)
  }
}

/**
 * Time to the next multiple of `everyMS` that is at least half of it away: an idle process wakes once for all its periodic
 * work. Each process has another start of time, so processes do not wake together.
 */
function untilNextMS(everyMS: number): number {
  if (everyMS === 0) return 0
  const leftMS = everyMS - (performance.now() % everyMS)
  return leftMS < everyMS / 2 ? leftMS + everyMS : leftMS
}

/** Like `runEvery`, until it is stopped. `stop` settles when the current run has ended. */
export function startRunning(
  everyMS: number,
  work: () => unknown,
  onError: (error: Error) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const running = runEvery(everyMS, work, { onError, signal: stopping.signal })
  return {
    stop() {
      stopping.abort()
      return running
    },
  }
}
