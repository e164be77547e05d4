import { setTimeout as pause } from 'node:timers/promises'

export interface RunEveryOptions {
  /** Called with the error of a failed run; the next run starts as usual. */
  onError: (error: Error) => void
  signal: AbortSignal
}

/**
 * Runs the work at once, and again `everyMS` after each run ends, so that runs never overlap. Settles once the signal
 * has aborted and the current run has ended; never rejects.
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
    await pause(everyMS, undefined, { signal }).catch(() => undefined)
  }
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
