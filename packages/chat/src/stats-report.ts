import { freemem, totalmem } from 'node:os'
import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import { maxReportDays, type getStats as operation } from '@parley/contracts/operations/monitoring'
import { findApp } from '@parley/db/apps'
import { countRooms } from '@parley/db/rooms'
import {
  bucketLevels,
  countByRoom,
  countInPart,
  findActiveUsers,
  findPeak,
  type Stretch,
} from '@parley/db/stats-buckets'
import type { Presence } from '@parley/presence/connect'
import { countConnections, readPeaks } from '@parley/presence/connection-counts'
import type { Chat } from './chat.ts'
import { parseTime } from './time-parameter.ts'

export type { Presence }

const defaultWindowMS = 3_600_000
const maxWindowMS = maxReportDays * 86_400_000
const { minute, hour, day } = bucketLevels

interface Window {
  fromMS: number
  toMS: number
}

/**
 * The report of a window (interface.md, GET /admin/stats). messageCount and roomCount are exact to the millisecond;
 * userList and the peak to the minute, or for what is older than three days to the hour.
 * @throws ApiError INVALID_QUERY
 */
export async function statsReport(
  chat: Chat,
  presence: Presence,
  caller: { app: string; apiKey: string },
  query: Input<typeof operation>['query'],
): Promise<Result<typeof operation>> {
  const { app, apiKey } = caller
  const window = windowOf(query)
  const { whole, edges } = split(window)
  const around = [...whole, ...edges.map(({ bucket }) => bucket)]
  const [found, byRoom, atEdges, userList, peak, livePeak, totalRoomCount] = await Promise.all([
    findApp(chat.db, app),
    countByRoom(chat.db, app, whole),
    Promise.all(edges.map(({ bucket, part }) => countInPart(chat.db, app, bucket, part))),
    findActiveUsers(chat.db, app, around),
    findPeak(chat.db, app, around),
    highestOf(presence, app, window),
    countRooms(chat.db, app),
  ])
  const counts = new Map(byRoom)
  for (const edge of atEdges) for (const [room, count] of edge) counts.set(room, (counts.get(room) ?? 0) + count)
  return {
    clientKey: found?.clientKey ?? '',
    apiKey,
    startTime: new Date(window.fromMS).toISOString(),
    endTime: new Date(window.toMS).toISOString(),
    start: Math.floor(window.fromMS / 1000),
    end: Math.floor(window.toMS / 1000),
    userList,
    roomCount: counts.size,
    totalRoomCount,
    messageCount: [...counts.values()].reduce((sum, count) => sum + count, 0),
    peakConnectionCount: Math.max(peak, livePeak),
    totalMem: totalmem(),
    freeMem: freemem(),
  }
}

/** The current connections of an app, over all living nodes (interface.md, GET /admin/connection-count). */
export async function connectionCount(presence: Presence, app: string): Promise<{ count: number }> {
  return { count: await countConnections(presence, app) }
}

function windowOf({ start, end, startTime, endTime }: Input<typeof operation>['query']): Window {
  if (start !== undefined && startTime !== undefined)
    throw new ApiError('INVALID_QUERY', 'startTime: or start, not both')
  if (end !== undefined && endTime !== undefined) throw new ApiError('INVALID_QUERY', 'endTime: or end, not both')
  const given = (seconds: number | undefined, name: string, iso: string | undefined) =>
    seconds === undefined ? (iso === undefined ? undefined : parseTime(name, iso)) : seconds * 1000
  const from = given(start, 'startTime', startTime)
  const to = given(end, 'endTime', endTime)
  // A whole second, so that start and end say the same as startTime and endTime.
  const toMS = to ?? (from === undefined ? Math.floor(Date.now() / 1000) * 1000 : Math.min(from + maxWindowMS, nowMS()))
  const fromMS = from ?? toMS - defaultWindowMS
  if (fromMS >= toMS) throw new ApiError('INVALID_QUERY', 'start: must be before end')
  if (toMS - fromMS > maxWindowMS) throw new ApiError('INVALID_QUERY', `end: at most ${maxReportDays} days after start`)
  return { fromMS, toMS }
}

function nowMS(): number {
  return Math.floor(Date.now() / 1000) * 1000
}

/** A window as whole buckets, the largest that fit, and at its two ends parts of one. */
function split({ fromMS, toMS }: Window): { whole: Stretch[]; edges: { bucket: Stretch; part: Window }[] } {
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

/** The peaks that Redis still has: what the stats service has not moved to the buckets yet. */
async function highestOf(presence: Presence, app: string, { fromMS, toMS }: Window): Promise<number> {
  const peaks = await readPeaks(presence, app)
  const within = [...peaks].filter(([at]) => (at + 1) * minute.sizeMS > fromMS && at * minute.sizeMS < toMS)
  return Math.max(0, ...within.map(([, peak]) => peak))
}
