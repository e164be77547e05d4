import { freemem, totalmem } from 'node:os'
import { clock } from '@parley/async/clock'
import { ackWaitSeconds } from '@parley/bus/stream/stream'
import type { Input, Result } from '@parley/contracts/operation'
import type { getStats as operation } from '@parley/contracts/operations/integrations/statistics'
import { findApp } from '@parley/db/apps/apps'
import type { AppDoc } from '@parley/db/apps/documents'
import { findNewestSent } from '@parley/db/newest-sent'
import { flushApp } from '@parley/db/room-buffer/flush'
import { countRooms } from '@parley/db/rooms/rooms'
import { findActiveUsers } from '@parley/db/statistics/active-users'
import { bucketLevels } from '@parley/db/statistics/buckets'
import { countByRoom, countInPart, noteMessages } from '@parley/db/statistics/counted-messages'
import { findPeak } from '@parley/db/statistics/peaks'
import type { Presence } from '@parley/presence/connect'
import { readPeaks } from '@parley/presence/connection-counts'
import type { Chat } from '../chat.ts'
import { split, type Window, windowOf } from './report-window.ts'

export type { Presence }

const { minute } = bucketLevels
/**
 * The stats service counts a message this much later at most, while it keeps up: within 5 s, or when its process was killed,
 * as soon as another one gets it.
 */
const countedWithinMS = 5_000 + ackWaitSeconds * 1_000

/**
 * The report of a window (docs/reference/statistics.md). messageCount and roomCount are exact to the millisecond;
 * userList and the peak to the minute, for windows that begin more than three days ago to the hour, more than 40 days ago to the day.
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
  const newestMS = clock.now() - countedWithinMS
  const isRecent = window.toMS > newestMS
  // The parts of buckets are counted by the messages themselves.
  if (edges.length > 0 || isRecent) await flushApp(chat.db, app, window.toMS)
  if (isRecent) await noteMessages(chat.db, await findNewestSent(chat.db, app, newestMS))
  const found = await findApp(chat.db, app)
  const [byRoom, atEdges, userList, peak, livePeak, totalRoomCount] = await Promise.all([
    countByRoom(chat.db, app, whole),
    Promise.all(edges.map(({ bucket, part }) => countInPart(chat.db, app, bucket, part))),
    findActiveUsers(chat.db, app, around),
    findPeak(chat.db, app, around),
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

/** The peaks that are still in Redis, and not yet in the buckets. */
async function highestOf(presence: Presence, { _id, createdAt }: AppDoc, { fromMS, toMS }: Window): Promise<number> {
  const peaks = await readPeaks(presence, _id, createdAt)
  const within = [...peaks].filter(([at]) => (at + 1) * minute.sizeMS > fromMS && at * minute.sizeMS < toMS)
  return Math.max(0, ...within.map(([, peak]) => peak))
}
