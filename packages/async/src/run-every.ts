import { setTimeout as pause } from 'node:timers/promises'

export interface RunEveryOptions {
  /** Gets the error of a failed run; the next run comes as usual. */
  onError: (error: Error) => void
  signal: AbortSignal
}

/**
 * Does the work at once, and again `everyMS` milliseconds after each end, so that it never overlaps itself. Settles after
 * the signal aborted, when the current run is over; never fails.
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

/** The same until it is stopped; stopping settles when the current run is over. */
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
