import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import { maxReportDays, type getStats as operation } from '@parley/contracts/operations/integrations/statistics'
import { bucketLevels, type Stretch } from '@parley/db/stats-buckets'
import { parseTime } from '../read-time.ts'

const { minute, hour, day } = bucketLevels

const defaultWindowMS = 3_600_000

const maxWindowMS = maxReportDays * 86_400_000

export interface Window {
  fromMS: number
  toMS: number
}

export function windowOf({ start, end, startTime, endTime }: Input<typeof operation>['query']): Window {
  if (start !== undefined && startTime !== undefined)
    throw new ApiError('INVALID_QUERY', 'startTime: or start, not both')
  if (end !== undefined && endTime !== undefined) throw new ApiError('INVALID_QUERY', 'endTime: or end, not both')
  const given = (seconds: number | undefined, name: string, iso: string | undefined) =>
    seconds === undefined ? (iso === undefined ? undefined : parseTime(name, iso)) : seconds * 1000
  const from = given(start, 'startTime', startTime)
  const to = given(end, 'endTime', endTime)
  // A whole second, so that start and end agree with startTime and endTime.
  const toMS = to ?? (from === undefined ? Math.floor(Date.now() / 1000) * 1000 : Math.min(from + maxWindowMS, nowMS()))
  const fromMS = from ?? toMS - defaultWindowMS
  if (fromMS >= toMS) throw new ApiError('INVALID_QUERY', 'start: must be before end')
  if (toMS - fromMS > maxWindowMS) throw new ApiError('INVALID_QUERY', `end: at most ${maxReportDays} days after start`)
  return { fromMS, toMS }
}

function nowMS(): number {
  return Math.floor(Date.now() / 1000) * 1000
}

/** A window as whole buckets, the largest that fit, with parts of buckets at its ends. */
export function split({ fromMS, toMS }: Window): { whole: Stretch[]; edges: { bucket: Stretch; part: Window }[] } {
  const hasMinutes = fromMS > Date.now() - minute.keepMS
  const [level, { sizeMS }] = hasMinutes ? (['minute', minute] as const) : (['hour', hour] as const)
  const up = (ms: number, size: number) => Math.ceil(ms / size) * size
  const down = (ms: number, size: number) => Math.floor(ms / size) * size
  const [first, last] = [up(fromMS, sizeMS), down(toMS, sizeMS)]
  const edge = (part: Window) => {
    const begin = down(part.fromMS, sizeMS)
    return { bucket: { level, fromMS: begin, toMS: begin + sizeMS }, part }
  }
  if (first > last) return { whole: [], edges: [edge({ fromMS, toMS })] }
  const edges = [
    ...(fromMS < first ? [edge({ fromMS, toMS: first })] : []),
    ...(last < toMS ? [edge({ fromMS: last, toMS })] : []),
  ]
  const cut = (from: number, to: number, sizes: ['day' | 'hour' | 'minute', number][]): Stretch[] => {
    const [largest, ...smaller] = sizes
    if (!largest || from >= to) return []
    const [a, b] = [up(from, largest[1]), down(to, largest[1])]
    if (a >= b) return cut(from, to, smaller)
    return [...cut(from, a, smaller), { level: largest[0], fromMS: a, toMS: b }, ...cut(b, to, smaller)]
  }
  const sizes: ['day' | 'hour' | 'minute', number][] = [
    ['day', day.sizeMS],
    ['hour', hour.sizeMS],
    ...(hasMinutes ? ([['minute', minute.sizeMS]] as ['minute', number][]) : []),
  ]
  return { whole: cut(first, last, sizes), edges }
}
