import type { Bus } from '@parley/bus/connect'
import { consumerState } from '@parley/bus/stream'
import type { OutgoingCallDoc } from '@parley/db/outgoing-calls'

/** Longer than an event takes to be delivered again to somebody else: rather out of order than never. */
const waitAtMostMS = 60_000

/**
 * Answers whether everything that comes before a call in its lane is queued: all events up to its own are handled.
 * Events of a room may be handled by several processes at the same time, so that a later one is queued first.
 */
export function askWhetherNext(bus: Bus): (call: OutgoingCallDoc) => Promise<boolean> {
  let doneUpToSeq = 0
  let asking: Promise<void> | undefined

  async function ask(): Promise<void> {
    const state = await consumerState(bus, 'webhooks')
    doneUpToSeq = state.doneUpToSeq
  }

  return async ({ kind, order, createdAtMS }) => {
    if (kind !== 'webhook' || order <= doneUpToSeq || createdAtMS < Date.now() - waitAtMostMS) return true
    asking ??= ask().finally(() => {
      asking = undefined
    })
    await asking
    return order <= doneUpToSeq
  }
}
