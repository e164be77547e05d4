import type { ParleyError } from './parley-error.ts'

/** Pauses that grow with each failure, with chance in them, so that many clients do not come back at once. */
export interface Pauses {
  /** The next pause in ms, after an error as long as that asks for. */
  next: (error?: ParleyError) => number
  reset: () => void
}

export function growingPauses(firstMS: number, longestMS: number): Pauses {
  let failures = 0
  return {
    next(error) {
      const mostMS = Math.min(longestMS, firstMS * 2 ** failures++)
      return Math.max(mostMS * (0.5 + Math.random() / 2), error?.retryAfterMS ?? 0)
    },
    reset() {
      failures = 0
    },
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Pauses that end early when somebody says so. */
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
