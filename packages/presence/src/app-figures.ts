import { clock } from '@parley/async/clock'
import { startRunning } from '@parley/async/run-every'
import type { Presence } from './connect.ts'

/** The figures counted per app, over all processes. */
export const figureNames = [
  'messages',
  'deliveries',
  'requests',
  'refusedRequests',
  'failedRequests',
  'emits',
  'refusedEmits',
  'failedEmits',
  'pushes',
  'failedPushes',
  'calls',
  'failedCalls',
] as const
type FigureName = (typeof figureNames)[number]
export type Figures = Record<FigureName, number>
/** Responses of MODERATE (moderation-figures.ts). */
type ModerationField = `moderation ${string} ${number}`

type Counted = Partial<Record<FigureName | ModerationField, number>>

const flushEveryMS = 5_000
/** Maximum number of minutes, each counted per app, that are kept while Redis is down. */
const maxKept = 10_000
/** Bucket sizes, and how many buckets are read: the last hour by minute, the last day by hour. */
export const periods = {
  minute: { sizeMS: 60_000, count: 60 },
  hour: { sizeMS: 3_600_000, count: 24 },
} as const
type Period = keyof typeof periods

/** One hash per app, size and period, with a field per figure. Expires one period after it is last read. */
const keyOf = (app: string, size: Period, period: number) => `{parley}:figures:${size}:${period}:${app}`

/** Counts events per app in memory, and adds them to Redis every few seconds. A kill loses the unflushed ones. */
export function createAppFigures({ redis }: Presence, onError: (error: Error) => void) {
  /** By minute and app. */
  let counted = new Map<string, { app: string; atMS: number; figures: Counted }>()

  async function flush(): Promise<void> {
    // Without a connection, no command is sent, so the next flush cannot count twice.
    if (redis.status !== 'ready' || counted.size === 0) return
    const taken = [...counted.values()]
    counted = new Map()
    try {
      await Promise.all(taken.flatMap(({ app, atMS, figures }) => writes(app, atMS, figures)))
    } catch (error) {
      // Do not retry: Redis may have part of the counts, and counting twice is worse than losing some.
      onError(error as Error)
    }
  }

  function writes(app: string, atMS: number, figures: Counted): Promise<unknown>[] {
    return (['minute', 'hour'] as const).flatMap((size) => {
      const { sizeMS, count } = periods[size]
      const key = keyOf(app, size, Math.floor(atMS / sizeMS))
      const added: Promise<unknown>[] = Object.entries(figures).map(([name, by]) => redis.hincrby(key, name, by ?? 0))
      added.push(redis.pexpire(key, (count + 1) * sizeMS))
      return added
    })
  }

  const flushing = startRunning(flushEveryMS, flush, onError)
  return {
    add(app: string, name: FigureName | ModerationField, by = 1) {
      const atMS = clock.now()
      const minute = `${Math.floor(atMS / periods.minute.sizeMS)} ${app}`
      let one = counted.get(minute)
      if (!one) {
        counted.set(minute, (one = { app, atMS, figures: {} }))
        const [oldest] = counted.keys()
        if (counted.size > maxKept && oldest !== undefined) counted.delete(oldest)
      }
      one.figures[name] = (one.figures[name] ?? 0) + by
    },
    /** Resolves when everything counted so far is in Redis, kept for the next flush, or lost because Redis failed. */
    flush,
    async stop() {
      await flushing.stop()
      await flush()
    },
  }
}
export type AppFigures = ReturnType<typeof createAppFigures>

/** The figures of an app by minute or hour, oldest first, including the current one. One round trip. */
export async function readFigures(
  presence: Presence,
  app: string,
  size: Period,
  nowMS?: number,
): Promise<{ fromMS: number; figures: Figures }[]> {
  const found = await readCounted(presence, app, size, nowMS)
  return found.map(({ fromMS, fields }) => ({
    fromMS,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one entry for each name
    figures: Object.fromEntries(figureNames.map((name) => [name, Number(fields[name] ?? 0)])) as Figures,
  }))
}

/** Like readFigures, with all fields as stored in Redis. */
export async function readCounted(
  { redis }: Presence,
  app: string,
  size: Period,
  nowMS = clock.now(),
): Promise<{ fromMS: number; fields: Record<string, string> }[]> {
  const { sizeMS, count } = periods[size]
  const last = Math.floor(nowMS / sizeMS)
  const wanted = Array.from({ length: count }, (_, i) => last - count + 1 + i)
  const found = await Promise.all(wanted.map((period) => redis.hgetall(keyOf(app, size, period))))
  return wanted.map((period, i) => ({ fromMS: period * sizeMS, fields: found[i] ?? {} }))
}
