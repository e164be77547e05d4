import { clock } from '@parley/async/clock'
import { startRunning } from '@parley/async/run-every'
import type { Presence } from './connect.ts'

/** The figures of each app, over all processes. */
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
/** Of answers of MODERATE (moderation-figures.ts). */
type ModerationField = `moderation ${string} ${number}`

type Counted = Partial<Record<FigureName | ModerationField, number>>

/** Counts in memory, which every few seconds are added up in Redis. */
export interface AppFigures {
  add(app: string, name: FigureName | ModerationField, by?: number): void
  /** Settles when everything counted so far is in Redis, or Redis is away: then it is kept for the next time. */
  flush(): Promise<void>
  stop(): Promise<void>
}

const flushEveryMS = 5_000
/** The sizes of the stretches that are counted, and how many are read: the last hour by minutes, the last day by hours. */
export const stretches = {
  minute: { sizeMS: 60_000, count: 60 },
  hour: { sizeMS: 3_600_000, count: 24 },
} as const
type Stretch = keyof typeof stretches

/** A hash per app, size and stretch: its fields are figures. It ends one stretch after it is read last. */
const keyOf = (app: string, size: Stretch, stretch: number) => `{parley}:figures:${size}:${stretch}:${app}`

/**
 * Counts what happens in apps, for the overview: an addition in memory, no round trip. What a process that is killed has
 * not flushed is missing.
 */
export function createAppFigures({ redis }: Presence, onError: (error: Error) => void): AppFigures {
  /** By minute and app. */
  let counted = new Map<string, { app: string; atMS: number; figures: Counted }>()

  async function flush(): Promise<void> {
    const taken = [...counted.values()]
    if (taken.length === 0) return
    counted = new Map()
    try {
      await Promise.all(taken.flatMap(({ app, atMS, figures }) => writes(app, atMS, figures)))
    } catch (error) {
      // A part may be in Redis already: counting it twice would be worse than losing it.
      onError(error as Error)
    }
  }

  function writes(app: string, atMS: number, figures: Counted): Promise<unknown>[] {
    return (['minute', 'hour'] as const).flatMap((size) => {
      const { sizeMS, count } = stretches[size]
      const key = keyOf(app, size, Math.floor(atMS / sizeMS))
      const added: Promise<unknown>[] = Object.entries(figures).map(([name, by]) => redis.hincrby(key, name, by ?? 0))
      added.push(redis.pexpire(key, (count + 1) * sizeMS))
      return added
    })
  }

  const flushing = startRunning(flushEveryMS, flush, onError)
  return {
    add(app, name, by = 1) {
      const atMS = clock.now()
      const minute = `${Math.floor(atMS / stretches.minute.sizeMS)} ${app}`
      let one = counted.get(minute)
      if (!one) counted.set(minute, (one = { app, atMS, figures: {} }))
      one.figures[name] = (one.figures[name] ?? 0) + by
    },
    flush,
    async stop() {
      await flushing.stop()
      await flush()
    },
  }
}

/** The figures of an app by minute or hour, the oldest first; the present one is the last. One round trip. */
export async function readFigures(
  presence: Presence,
  app: string,
  size: Stretch,
  nowMS?: number,
): Promise<{ fromMS: number; figures: Figures }[]> {
  const found = await readCounted(presence, app, size, nowMS)
  return found.map(({ fromMS, fields }) => ({
    fromMS,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one entry for each name
    figures: Object.fromEntries(figureNames.map((name) => [name, Number(fields[name] ?? 0)])) as Figures,
  }))
}

/** The same, with every field as it is in Redis. */
export async function readCounted(
  { redis }: Presence,
  app: string,
  size: Stretch,
  nowMS = clock.now(),
): Promise<{ fromMS: number; fields: Record<string, string> }[]> {
  const { sizeMS, count } = stretches[size]
  const last = Math.floor(nowMS / sizeMS)
  const wanted = Array.from({ length: count }, (_, i) => last - count + 1 + i)
  const found = await Promise.all(wanted.map((stretch) => redis.hgetall(keyOf(app, size, stretch))))
  return wanted.map((stretch, i) => ({ fromMS: stretch * sizeMS, fields: found[i] ?? {} }))
}
