import { clock } from '@parley/async/clock'
import type { Bus } from '@parley/bus/connect'
import { consumerState } from '@parley/bus/stream/stream'
import { findStream } from '@parley/bus/stream/stream-state'
import { eventStream } from '@parley/contracts/bus/streams'
import type { Db } from '@parley/db/connect'
import { findStreamState } from '@parley/db/events/stream-state'
import type { OutgoingCallDoc } from '@parley/db/push/documents'

/** Longer than an event takes to be delivered again to another process. After that, out of order is better than never. */
const waitAtMostMS = 60_000
/** How often it is looked whether the stream was lost: then earlier events are published again, and calls wait for them. */
const lookAgainMS = 500

/**
 * Returns whether everything before a call in its queue is queued: all events up to its own are handled.
 * Several processes handle events of a room at the same time, so a later one may be queued first.
 */
export function askWhetherNext(db: Db, bus: Bus): (call: OutgoingCallDoc) => Promise<boolean> {
  let doneUpToSeq = 0
  let isRebuilding = false
  /** When this is handled, everything that was published again is. */
  let releaseAtSeq = 0
  let lookedAtMS = 0
  let asking: Promise<void> | undefined

  async function ask(): Promise<void> {
    const state = await findStreamState(db, eventStream.name)
    if (state?.rebuilding) releaseAtSeq = Number.POSITIVE_INFINITY
    else if (releaseAtSeq === Number.POSITIVE_INFINITY) releaseAtSeq = (await findStream(bus))?.lastSeq ?? releaseAtSeq
    // Read first: events that arrive meanwhile are not handled yet.
    const lastSeq = (await findStream(bus))?.lastSeq ?? 0
    doneUpToSeq = Math.min(await doneUpTo(bus, 'webhooks', lastSeq), await doneUpTo(bus, 'webhooksOfThreads', lastSeq))
    isRebuilding = doneUpToSeq < releaseAtSeq
    lookedAtMS = clock.now()
  }

  return async ({ kind, order, createdAtMS }) => {
    if (kind !== 'webhook' || createdAtMS < clock.now() - waitAtMostMS) return true
    const isFresh = clock.now() < lookedAtMS + lookAgainMS
    if (isFresh && !isRebuilding && order <= doneUpToSeq) return true
    if (isFresh && isRebuilding) return false
    asking ??= ask().finally(() => {
      asking = undefined
    })
    await asking
    return !isRebuilding && order <= doneUpToSeq
  }
}

/** Up to where, at most to `lastSeq`, the consumer has handled all that it receives; where nothing waits for it, to there. */
async function doneUpTo(bus: Bus, consumer: 'webhooks' | 'webhooksOfThreads', lastSeq: number): Promise<number> {
  const { waiting, unacknowledged, doneUpToSeq } = await consumerState(bus, consumer)
  return waiting + unacknowledged === 0 ? lastSeq : doneUpToSeq
}
