/** Runs much work that arrives at once in slices of a few milliseconds, between which everything else is served. */
export interface Slices {
  /** Settles in a slice that has time left, in order of arrival. The work that follows without waiting runs in it. */
  turn(): Promise<void>
}

/** @param sliceMS the longest slice, apart from the duration of its last piece of work */
export function createSlices(sliceMS: number): Slices {
  let waiting: (() => void)[] = []
  let isRunning = false

  async function runSlice(): Promise<void> {
    const untilMS = performance.now() + sliceMS
    let done = 0
    while (done < waiting.length && performance.now() < untilMS) {
      waiting[done++]?.()
      // The work runs in the microtasks that follow this.
      await Promise.resolve()
      await Promise.resolve()
    }
    waiting = waiting.slice(done)
    // The next slice comes after a whole turn of the event loop.
    if (waiting.length > 0) setImmediate(() => void runSlice())
    else isRunning = false
  }

  return {
    turn: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        if (isRunning) return
        isRunning = true
        setImmediate(() => void runSlice())
      }),
  }
}
