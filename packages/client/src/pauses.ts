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

/** The result of work with storage; undefined if it takes too long, after calling `onTimeout`. */
export async function inTime<T>(work: Promise<T>, onTimeout?: () => void): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timedOut = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      onTimeout?.()
      resolve(undefined)
    }, storageTimeoutMS)
  })
  return Promise.race([work, timedOut]).finally(() => clearTimeout(timer))
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
