/** Lets a loop sleep until it has work. */
export function createWake() {
  let isDue = false
  let wake: (() => void) | undefined
  return {
    /** Ends the current sleep; without one, the next sleep ends at once. */
    up() {
      isDue = true
      wake?.()
    },
    /** Settles when woken, after `ms`, or when the signal aborts. */
    sleep(ms: number, signal: AbortSignal) {
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
export type Wake = ReturnType<typeof createWake>
