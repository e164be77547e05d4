import type { ParleyError } from './parley-error.ts'

/** Exponential backoff with jitter, so that many clients do not retry at once. */
export function createBackoff(firstMS: number, longestMS: number) {
  let failures = 0
  return {
    /** The next pause in ms; at least the error's `retryAfterMS`. */
    next(error?: ParleyError) {
      const mostMS = Math.min(longestMS, firstMS * 2 ** failures++)
      return Math.max(mostMS * (0.5 + Math.random() / 2), error?.retryAfterMS ?? 0)
    },
    reset() {
      failures = 0
    },
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Storage can hang without an error, such as an IndexedDB whose browser is stuck. */
const storageTimeoutMS = 2_000

/** @throws on timeout, by default that of storage; a late result is dropped */
export function inTime<T>(work: () => T | Promise<T>, timeoutMS: number = storageTimeoutMS): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('timed out')), timeoutMS)
    Promise.resolve()
      .then(work)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}

/** Pauses that `end()` cuts short. */
export function createPause() {
  const ends = new Set<() => void>()
  return {
    during: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer)
          ends.delete(end)
          resolve()
        }
        const timer = setTimeout(end, ms)
        ends.add(end)
      }),
    end(): void {
      for (const end of ends) end()
    },
  }
}
