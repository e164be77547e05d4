import type { Db } from '@parley/db/connect'
import { findLanes, mostOfLane, type PendingEventsDoc } from '@parley/db/events/pending-events'
import type { Steps } from '../ports.ts'
import { readAsOfNow } from './as-of-now.ts'
import type { NoteClearing } from './clear-notes.ts'
import { publishInOrder } from './publish-in-order.ts'
import type { PublishParts } from './publish-noted.ts'

export type PublishLanesParts = PublishParts & { db: Db; steps: Steps; cleared: NoteClearing }

/**
 * Shorter than the stream and the nodes recognise a repeat: this long after it has noted or read them, a process does not
 * know what others have published meanwhile.
 */
export const staleAfterMS = 60_000

/** Publishes everything that waits in these lanes, until the signal aborts; returns whether the lanes are empty now. */
export async function publishLanes(
  parts: PublishLanesParts,
  lanes: readonly string[],
  signal?: AbortSignal,
): Promise<boolean> {
  // Nothing found would be as much as may be.
  if (lanes.length === 0) return true
  const most = mostOfLane * lanes.length
  for (let first: string | undefined; ; ) {
    const untilMS = performance.now() + staleAfterMS
    const found = await findLanes(parts.db, lanes)
    // Those of the round before could not be deleted.
    if (found.length > 0 && found[0]?._id === first) return false
    first = found[0]?._id
    if (!(await publishFound({ ...parts, untilMS }, found))) return false
    if (found.length < most) return true
    if (signal?.aborted) return false
    await parts.cleared.over()
  }
}

async function publishFound(
  parts: PublishLanesParts & { untilMS: number },
  found: readonly PendingEventsDoc[],
): Promise<boolean> {
  const notes = found.filter(({ _id }) => !parts.cleared.has(_id))
  if (notes.length === 0) return true
  const now = await readAsOfNow(parts.db, notes)
  const byLane = [...Map.groupBy(notes, ({ lane }) => lane).values()]
  const done = await Promise.all(byLane.map((own) => publishInOrder(parts, own, now)))
  return done.every(Boolean)
}
