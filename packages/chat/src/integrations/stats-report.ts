import { freemem, totalmem } from 'node:os'
import { clock } from '@parley/async/clock'
import { ackWaitSeconds } from '@parley/bus/stream/stream'
import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import { type getStats as getStatsOperation, maxReportDays } from '@parley/contracts/operations/integrations/statistics'
import { findApp } from '@parley/db/apps/apps'
import type { AppDoc } from '@parley/db/apps/documents'
import { flushApp } from '@parley/db/room-buffer/flush'
import { countRooms } from '@parley/db/rooms/rooms'
import { findActiveUsers } from '@parley/db/statistics/active-users'
import { type BucketLevel, bucketLevels, levels, type TimeRange } from '@parley/db/statistics/buckets'
import { countByRoom, countInPart, recordMessages } from '@parley/db/statistics/counted-messages'
import { findNewestSent } from '@parley/db/statistics/newest-sent'
import { findPeak } from '@parley/db/statistics/peaks'
import type { AppFigures } from '@parley/presence/app-figures'
import type { Presence } from '@parley/presence/connect'
import { countConnections, readPeaks } from '@parley/presence/connection-counts'
import { untilReported } from '@parley/presence/node-reports'
import type { Chat } from '../chat.ts'
import { parseTime } from '../read-time.ts'

export type { Presence }
export type Figures = Pick<AppFigures, 'add'>
type Caller = { app: string; apiKey: string }

const { minute } = bucketLevels
/** While it keeps up, the stats service counts a message within 5 s, plus redelivery after a kill. */
const countedWithinMS = 5_000 + ackWaitSeconds * 1_000

/**
 * The report of a window (docs/reference/statistics.md). messageCount and roomCount are exact to the millisecond.
 * userList and the peak are exact to the finest bucket that is kept at each end of the window.
 * @throws ApiError INVALID_QUERY, TOO_MANY_REQUESTS
 */
export async function statsReport(
  chat: Chat,
  presence: Presence,
  caller: Caller,
  query: Input<typeof getStatsOperation>['query'],
): Promise<Result<typeof getStatsOperation>> {
  const window = windowOf(query)
  return chat.limits.queries({ app: caller.app }, () => reportOf(chat, presence, caller, window))
}

async function reportOf(
  chat: Chat,
  presence: Presence,
  { app, apiKey }: Caller,
  window: Window,
): Promise<Result<typeof getStatsOperation>> {
  const { whole, edges } = split(window, finestOf)
  const newestMS = clock.now() - countedWithinMS
  const isRecent = window.toMS > newestMS
  // Partial buckets are counted from the messages themselves.
  if (edges.length > 0 || isRecent) await flushApp(chat.db, app, window.toMS)
  if (isRecent) await recordMessages(chat.db, await findNewestSent(chat.db, app, newestMS))
  const [found] = await Promise.all([findApp(chat.db, app), untilReported(presence, chat.control.nodes())])
  const [byRoom, atEdges, userList, peak, livePeak, totalRoomCount] = await Promise.all([
    countByRoom(chat.db, app, whole),
    Promise.all(edges.map(({ bucket, part }) => countInPart(chat.db, app, bucket, part))),
    findActiveUsers(chat.db, app, around(split(window, finestOfUsers))),
    findPeak(chat.db, app, around({ whole, edges })),
    found ? highestOf(presence, found, window) : 0,
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

/** The highest peak that is still in Redis and not yet in the buckets. */
async function highestOf(presence: Presence, { _id, createdAt }: AppDoc, { fromMS, toMS }: Window): Promise<number> {
  const peaks = await readPeaks(presence, _id, createdAt)
  const within = [...peaks].filter(([at]) => (at + 1) * minute.sizeMS > fromMS && at * minute.sizeMS < toMS)
  return Math.max(0, ...within.map(([, peak]) => peak))
}

const defaultWindowMS = 3_600_000

const maxWindowMS = maxReportDays * 86_400_000
const earliestMS = -8.64e15

interface Window {
  fromMS: number
  toMS: number
}

function windowOf({ start, end, startTime, endTime }: Input<typeof getStatsOperation>['query']): Window {
  if (start !== undefined && startTime !== undefined)
    throw new ApiError('INVALID_QUERY', 'startTime: give start or startTime, not both')
  if (end !== undefined && endTime !== undefined)
    throw new ApiError('INVALID_QUERY', 'endTime: give end or endTime, not both')
  const [startName, endName] = [
    startTime === undefined ? 'start' : 'startTime',
    endTime === undefined ? 'end' : 'endTime',
  ]
  const given = (seconds: number | undefined, name: string, iso: string | undefined) =>
    seconds === undefined ? (iso === undefined ? undefined : parseTime(name, iso)) : seconds * 1000
  const from = given(start, startName, startTime)
  const to = given(end, endName, endTime)
  const toMS = to ?? Math.min(from === undefined ? Infinity : from + maxWindowMS, endOfSecondMS())
  const fromMS = from ?? Math.max(toMS - defaultWindowMS, earliestMS)
  if (fromMS > clock.now()) {
    const name = from === undefined ? endName : startName
    throw new ApiError('INVALID_QUERY', `${name}: the window must not begin in the future`)
  }
  if (fromMS >= toMS) throw new ApiError('INVALID_QUERY', `${startName}: must be before ${endName}`)
  if (toMS - fromMS > maxWindowMS)
    throw new ApiError('INVALID_QUERY', `${endName}: at most ${maxReportDays} days after ${startName}`)
  return { fromMS, toMS }
}

/** The end of the current second. It is a whole second, so that `start` and `end` agree with startTime and endTime. */
function endOfSecondMS(): number {
  return (Math.floor(clock.now() / 1000) + 1) * 1000
}

/** The finest bucket level still kept for a time. */
function finestOf(atMS: number): BucketLevel {
  return levels.find((level) => atMS > clock.now() - bucketLevels[level].keepMS) ?? 'day'
}

/** Minutes of active users are bits of their hours, and kept as long. */
function finestOfUsers(atMS: number): BucketLevel {
  const level = finestOf(atMS)
  return level === 'hour' ? 'minute' : level
}

interface Parts {
  whole: TimeRange[]
  edges: { bucket: TimeRange; part: Window }[]
}

const around = ({ whole, edges }: Parts) => [...whole, ...edges.map(({ bucket }) => bucket)]

/** Splits a window into whole buckets, the largest that fit, and parts of the finest level at its ends. */
function split({ fromMS, toMS }: Window, finest: (atMS: number) => BucketLevel): Parts {
  const atBegin = finest(fromMS)
  const first = up(fromMS, bucketLevels[atBegin].sizeMS)
  const atEnd = finest(down(toMS, bucketLevels[atBegin].sizeMS))
  const last = down(toMS, bucketLevels[atEnd].sizeMS)
  const edge = (level: BucketLevel, part: Window) => {
    const { sizeMS } = bucketLevels[level]
    const begin = down(part.fromMS, sizeMS)
    return { bucket: { level, fromMS: begin, toMS: begin + sizeMS }, part }
  }
  if (first > last) return { whole: [], edges: [edge(atBegin, { fromMS, toMS })] }
  const edges = [
    ...(fromMS < first ? [edge(atBegin, { fromMS, toMS: first })] : []),
    ...(last < toMS ? [edge(atEnd, { fromMS: last, toMS })] : []),
  ]
  return { whole: cut(first, last, levels.slice(levels.indexOf(atEnd)).toReversed()), edges }
}

const up = (ms: number, size: number) => Math.ceil(ms / size) * size
const down = (ms: number, size: number) => Math.floor(ms / size) * size

/** Covers a window that ends at a bucket of the last level with the largest possible buckets. */
function cut(fromMS: number, toMS: number, [largest, ...smaller]: readonly BucketLevel[]): TimeRange[] {
  if (!largest || fromMS >= toMS) return []
  const { sizeMS } = bucketLevels[largest]
  const [begin, end] = [up(fromMS, sizeMS), down(toMS, sizeMS)]
  if (begin >= end) return cut(fromMS, toMS, smaller)
  const whole = { level: largest, fromMS: begin, toMS: end }
  return [...cut(fromMS, begin, smaller), whole, ...cut(end, toMS, smaller)]
}

export async function connectionCount({ control }: Chat, presence: Presence, app: string): Promise<{ count: number }> {
  await untilReported(presence, control.nodes())
  return { count: await countConnections(presence, app) }
}
