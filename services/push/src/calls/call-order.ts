import { clock } from '@parley/async/clock'
import type { Bus } from '@parley/bus/connect'
import { consumerState, isMissing } from '@parley/bus/stream/stream'
import { findStream } from '@parley/bus/stream/stream-state'
import type { Db } from '@parley/db/connect'
import { findStreamState } from '@parley/db/events/stream-state'
import type { OutgoingCallDoc } from '@parley/db/push/documents'

/** Longer than a redelivery to another process takes. After that, out of order is better than never. */
const waitAtMostMS = 60_000
/** Interval of checks for a lost stream: earlier events are then republished, and calls wait for them. */
const refreshAfterMS = 500

interface Handled {
  doneUpToSeq: number
  isRebuilding: boolean
  /** Once this is handled, all republished events are. */
  releaseAtSeq: number
}

/**
 * Returns whether everything before a call in its queue is queued: all events up to its own are handled.
 * Several processes handle events of a room at the same time, so a later one may be queued first.
 */
export function createOrderCheck(db: Db, bus: Bus): (call: OutgoingCallDoc) => Promise<boolean> {
  const streams = new Map<string, Handled>()
  let refreshedAtMS = 0
  let refreshing: Promise<void> | undefined

  async function refresh(): Promise<void> {
    await Promise.all(bus.streams.names.map(refreshStream))
    refreshedAtMS = clock.now()
  }

  async function refreshStream(stream: string): Promise<void> {
    let { releaseAtSeq } = streams.get(stream) ?? { releaseAtSeq: 0 }
    const state = await findStreamState(db, stream)
    if (state?.rebuilding) releaseAtSeq = Number.POSITIVE_INFINITY
    else if (releaseAtSeq === Number.POSITIVE_INFINITY)
      releaseAtSeq = (await findStream(bus, stream))?.lastSeq ?? releaseAtSeq
    // Read first: events that arrive meanwhile are not handled yet.
    const lastSeq = (await findStream(bus, stream))?.lastSeq ?? 0
    const doneUpToSeq = Math.min(
      await doneUpTo(bus, 'webhooks', { stream, lastSeq }),
      await doneUpTo(bus, 'webhooksOfThreads', { stream, lastSeq }),
    )
    streams.set(stream, { doneUpToSeq, isRebuilding: doneUpToSeq < releaseAtSeq, releaseAtSeq })
  }

  const before = (stream: string) => Object.entries(bus.streams.grown(stream)?.after ?? {})

  /** In the stream of a room, and in those before it as far as they had its events. */
  function isDone(stream: string, order: number): boolean {
    return [[stream, order] as const, ...before(stream)].every(([name, upToSeq]) => {
      return Math.min(order, upToSeq) <= (streams.get(name)?.doneUpToSeq ?? -1)
    })
  }

  return async ({ app, room, kind, order, createdAtMS }) => {
    if (kind !== 'webhook' || createdAtMS < clock.now() - waitAtMostMS) return true
    const stream = bus.streams.streamOf({ app, room })
    const isFresh = clock.now() < refreshedAtMS + refreshAfterMS
    const isRebuilding = () =>
      [stream, ...before(stream).map(([name]) => name)].some((name) => streams.get(name)?.isRebuilding !== false)
    if (isFresh && !isRebuilding() && isDone(stream, order)) return true
    if (isFresh && isRebuilding()) return false
    refreshing ??= refresh().finally(() => {
      refreshing = undefined
    })
    await refreshing
    return !isRebuilding() && isDone(stream, order)
  }
}

/** The position, at most `lastSeq`, up to which the consumer has handled everything; `lastSeq` if nothing is pending. */
async function doneUpTo(
  bus: Bus,
  consumer: 'webhooks' | 'webhooksOfThreads',
  { stream, lastSeq }: { stream: string; lastSeq: number },
): Promise<number> {
  const state = await consumerState(bus, consumer, stream).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
  // It is created once earlier events in other streams are done.
  if (!state) return 0
  const { waiting, unacknowledged, doneUpToSeq } = state
  return waiting + unacknowledged === 0 ? lastSeq : doneUpToSeq
}
