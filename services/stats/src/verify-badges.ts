import { setTimeout as pause } from 'node:timers/promises'
import { clock } from '@parley/async/clock'
import type { Db } from '@parley/db/connect'
import { findMembershipIds, sampleRooms, verifyUnread } from '@parley/db/unread/verify-unread'
import type { Logger } from '@parley/service/log'
import type { Metrics } from '@parley/service/metrics'

interface BadgeCheckParts {
  db: Db
  log: Logger
  metrics: Metrics
  /** Milliseconds between two checks. */
  everyMS: number
  /** Rooms per check. */
  rooms: number
}

/** Members per room and check. */
const membersPerRoom = 100
/** Members with more messages after their marker are skipped. */
const maxMessages = 100_000
/** Daily checks run at 03:00 UTC. */
const offsetMS = 3 * 60 * 60 * 1_000

/**
 * Compares the unread counts of sampled rooms with the messages, every `everyMS` until the signal aborts. Each instance
 * takes its own sample. Differences are counted and logged but not repaired.
 */
export async function runBadgeChecks(parts: BadgeCheckParts, signal: AbortSignal): Promise<void> {
  const check = createBadgeCheck(parts)
  const { everyMS, log } = parts
  for (;;) {
    const sinceLastMS = (clock.now() - offsetMS) % everyMS
    // Rejects only when the signal aborts.
    await pause(everyMS - sinceLastMS, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    await check(signal).catch((error: unknown) => log.warn({ err: error }, 'badges not verified; trying again'))
  }
}

/** Makes the function that verifies one sample. */
function createBadgeCheck({ db, log, metrics, rooms }: BadgeCheckParts): (signal: AbortSignal) => Promise<void> {
  const verified = metrics.counter('parley_badges_verified_total', 'Unread counts compared with the messages')
  const mismatches = metrics.counter(
    'parley_badge_mismatches_total',
    'Unread counts that differ from the messages; must stay 0',
  )
  return async (signal) => {
    for (const { _id, memberCount } of await sampleRooms(db, rooms)) {
      if (signal.aborted) return
      const skip = Math.floor(Math.random() * Math.max(1, memberCount - membersPerRoom + 1))
      const members = await findMembershipIds(db, _id, skip, membersPerRoom)
      const result = await verifyUnread(db, members, maxMessages)
      verified.inc(result.verified)
      mismatches.inc(result.wrong.length)
      for (const { app, room, user, unread, countedUnread } of result.wrong) {
        log.error({ app, room, user, unread, countedUnread }, 'an unread count does not agree with the messages')
      }
    }
  }
}
