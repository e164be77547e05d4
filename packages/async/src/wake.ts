/** Lets a loop sleep until there is something to do. */
export interface Wake {
  /** There is something to do: ends the sleep, or the next one before it begins. */
  up(): void
  /** Settles when woken up, after `ms`, or when the signal aborts. */
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
