import { clock } from '@parley/async/clock'
import { watchOutage } from '@parley/async/outage'
import { runEvery } from '@parley/async/run-every'
import { findOpenApps } from '@parley/db/apps/apps'
import type { Db } from '@parley/db/connect'
import { recordPeaks } from '@parley/db/statistics/peaks'
import type { Presence } from '@parley/presence/connect'
import { forgetPeaks, readPeaks } from '@parley/presence/connection-counts'
import { pageOnlineUsers } from '@parley/presence/online-devices'
import type { Logger } from '@parley/service/log'
import { createRecordOnline, type RecordOnline } from './online-users.ts'

const pollMS = 20_000
/** How long Redis keeps peaks that are already in the buckets: each round writes them again. */
const keepMinutes = 10

/**
 * Copies from Redis to the buckets, until the signal aborts: each minute's peak of connections, as reported by the
 * nodes, and the connected users. Any number of instances may run at once.
 */
export async function followConnections(db: Db, presence: Presence, log: Logger, signal: AbortSignal): Promise<void> {
  const outage = watchOutage((error) => log.warn({ err: error }, 'connections not recorded; trying again'))
  const recordOnline = createRecordOnline(db)
  const poll = () => pollOnce(db, presence, recordOnline).then(outage.ended)
  await runEvery(pollMS, poll, { onError: outage.failed, signal })
}

export async function pollOnce(db: Db, presence: Presence, recordOnline: RecordOnline): Promise<void> {
  const thisMinute = Math.floor(clock.now() / 60_000)
  // Skip apps being deleted: their data would have to be deleted again, for as long as Redis has their peaks.
  for (const { _id: app, createdAt } of await findOpenApps(db)) {
    const peaks = await readPeaks(presence, app, createdAt)
    await recordPeaks(db, app, peaks)
    const old = [...peaks.keys()].filter((minute) => minute < thisMinute - keepMinutes)
    await forgetPeaks(presence, app, old)
  }
  for await (const users of pageOnlineUsers(presence)) await recordOnline(users)
}
