/** Lets a loop sleep until it has work. */
export interface Wake {
  /** Ends the current sleep; without one, the next sleep ends at once. */
  up(): void
  /** Settles when woken, after `ms`, or when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export function createWake(): Wake {
  let isDue = false
  let wake: (() => void) | undefined
  return {
    up() {
      isDue = true
      wake?.()
    },
    sleep(ms, signal) {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (isDue || signal.aborted) resolve()
      wake = resolve
      const timer = setTimeout(resolve, ms)
      const stop = () => resolve()
      signal.addEventListener('abort', stop, { once: true })
      return promise.finally(() => {
        clearTimeout(timer)
        signal.removeEventListener('abort', stop)
        isDue = false
        wake = undefined
      })
    },
  }
}
