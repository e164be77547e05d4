import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import { maxReportDays, type getStats as operation } from '@parley/contracts/operations/integrations/statistics'
import { type BucketLevel, bucketLevels, levels, type Stretch } from '@parley/db/statistics/buckets'
import { parseTime } from '../read-time.ts'

const defaultWindowMS = 3_600_000

const maxWindowMS = maxReportDays * 86_400_000
/** A Date goes no further back. */
const earliestMS = -8.64e15

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
  const toMS = to ?? Math.min(from === undefined ? Infinity : from + maxWindowMS, endOfSecondMS())
  const fromMS = from ?? Math.max(toMS - defaultWindowMS, earliestMS)
  if (fromMS > clock.now()) throw new ApiError('INVALID_QUERY', 'start: lies in the future')
  if (fromMS >= toMS) throw new ApiError('INVALID_QUERY', 'start: must be before end')
  if (toMS - fromMS > maxWindowMS) throw new ApiError('INVALID_QUERY', `end: at most ${maxReportDays} days after start`)
  return { fromMS, toMS }
}

/** The end of the present second: a whole one, so that `start` and `end` agree with startTime and endTime. */
function endOfSecondMS(): number {
  return (Math.floor(clock.now() / 1000) + 1) * 1000
}

/** The finest buckets that are still there of a time. */
function finestOf(atMS: number): BucketLevel {
  return levels.find((level) => atMS > clock.now() - bucketLevels[level].keepMS) ?? 'day'
}

/** A window as whole buckets, the largest that fit, with parts of the finest that are still there at its ends. */
export function split({ fromMS, toMS }: Window): { whole: Stretch[]; edges: { bucket: Stretch; part: Window }[] } {
  const level = finestOf(fromMS)
  const { sizeMS } = bucketLevels[level]
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
  return { whole: cut(first, last, levels.slice(levels.indexOf(level)).toReversed()), edges }
}

const up = (ms: number, size: number) => Math.ceil(ms / size) * size
const down = (ms: number, size: number) => Math.floor(ms / size) * size

/** A window that ends on bucket limits of the last level, in the largest possible buckets. */
function cut(fromMS: number, toMS: number, [largest, ...smaller]: readonly BucketLevel[]): Stretch[] {
  if (!largest || fromMS >= toMS) return []
  const { sizeMS } = bucketLevels[largest]
  const [begin, end] = [up(fromMS, sizeMS), down(toMS, sizeMS)]
  if (begin >= end) return cut(fromMS, toMS, smaller)
  const whole = { level: largest, fromMS: begin, toMS: end }
  return [...cut(fromMS, begin, smaller), whole, ...cut(end, toMS, smaller)]
}
