import type { call } from '../platform.ts'

/** The outcomes of calls. */
export interface Calls {
  calls: number
  /** The number of responses by status, except 2xx. */
  refused: Record<string, number>
  /** The number of calls without a response by error: broken or refused connections, and timeouts after a minute. */
  unanswered: Record<string, number>
  /** Latency of timed calls with a 2xx response, in milliseconds. */
  p50: number
  p99: number
  /** The slowest call of each of the three worst seconds: seconds since the last report, and latency in milliseconds. */
  slowest: { afterS: number; ms: number }[]
}

export interface CountedCalls {
  /** Makes a call and records its latency. */
  timed: typeof call
  untimed: typeof call
  /** Returns the outcomes since the previous call of `take`. */
  take(): Calls
}

interface Took {
  /** The time of its response. */
  afterMS: number
  ms: number
}

/** Makes calls with `make` and records their outcomes. */
export function countedCalls(make: typeof call): CountedCalls {
  let calls = 0
  let refused: Record<string, number> = {}
  let unanswered: Record<string, number> = {}
  let took: Took[] = []
  let takenMS = performance.now()
  const counted =
    (note: (ms: number) => void): typeof call =>
    async (...about) => {
      const beginMS = performance.now()
      calls++
      try {
        const answer = await make(...about)
        if (answer.status >= 200 && answer.status < 300) note(performance.now() - beginMS)
        else refused[answer.status] = (refused[answer.status] ?? 0) + 1
        return answer
      } catch (error) {
        const why = reasonOf(error)
        unanswered[why] = (unanswered[why] ?? 0) + 1
        throw error
      }
    }
  return {
    timed: counted((ms) => took.push({ afterMS: performance.now() - takenMS, ms })),
    untimed: counted(() => undefined),
    take() {
      const tookMS = took.map(({ ms }) => ms)
      const taken = {
        calls,
        refused,
        unanswered,
        p50: quantile(tookMS, 0.5),
        p99: quantile(tookMS, 0.99),
        slowest: worstSeconds(took),
      }
      calls = 0
      refused = {}
      unanswered = {}
      took = []
      takenMS = performance.now()
      return taken
    },
  }
}

function worstSeconds(took: readonly Took[]): Calls['slowest'] {
  const seconds = new Map<number, number>()
  for (const { afterMS, ms } of took) {
    const afterS = Math.floor((afterMS - ms) / 1_000)
    seconds.set(afterS, Math.max(seconds.get(afterS) ?? 0, Math.round(ms)))
  }
  return [...seconds]
    .map(([afterS, ms]) => ({ afterS, ms }))
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, 3)
}

/** The smallest value not exceeded by this share of the values; 0 without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause ? error.cause : error
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.name
  return String(cause)
}
