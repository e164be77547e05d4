import { setTimeout as pause } from 'node:timers/promises'
import type { Bus } from '../connect.ts'
import { ensureStream, forgetProbes, requireRoom, type StreamOptions } from './stream.ts'
import { type Info, learnStreams } from './stream-info.ts'
import { markStream } from './stream-state.ts'

/** For clocks of NATS servers that differ: events of a partition in two streams are read in the order of their times. */
const settleMS = 2_000
/**
 * Positions of a new stream begin far above those before it, so that ordering by position still holds, and positions that
 * an old stream has given since are not reused.
 */
export const gap = 1_000_000_000

/**
 * Makes sure that `options.count` streams exist, or as many as there are. All but the first take over partitions: the streams
 * that have them give them up first, once NATS is known to have room for the new ones, so until the new one is there nobody takes their events, which wait in the outbox. Any number of
 * processes may do so at once, and one goes on where another died.
 * @param firstSeqOf where the positions of a stream begin in place of a lost one; undefined for one that was never there
 */
export async function ensureStreams(
  bus: Bus,
  options: StreamOptions & { count: number },
  firstSeqOf: (stream: string) => number | undefined = () => undefined,
): Promise<void> {
  const found = await learnStreams(bus, options.count)
  const { names } = bus.streams
  const count = names.length
  const isNew = (name: string, index: number) => index > 0 && !found.has(name) && firstSeqOf(name) === undefined
  const added = names.filter(isNew)
  // Once partitions are given up for streams that NATS does not make, nothing stores their events.
  const hasBegun = [...found.values()].some((info) => info.count >= count)
  if (added.length > 0 && found.size > 0 && !hasBegun) await requireRoom(bus, options, added)
  for (const [index, name] of names.entries()) {
    if (!isNew(name, index)) await ensureStream(bus, options, { index, count, firstSeq: firstSeqOf(name) })
  }
  if (added.length > 0) {
    await forgetProbes(bus, added)
    // One in the place of a lost one had events, a first one had none.
    const isReplaced = names.some((name) => !found.has(name) && firstSeqOf(name) !== undefined)
    const taken = await takeOver(bus, isReplaced ? await learnStreams(bus) : found)
    for (const [index, name] of names.entries()) {
      if (isNew(name, index)) await ensureStream(bus, options, { index, count, ...taken })
    }
  }
  await learnStreams(bus)
}

/** Marks the ends of the streams that gave up partitions: all of their events have lower positions. */
async function takeOver(
  bus: Bus,
  found: ReadonlyMap<string, Info>,
): Promise<{ firstSeq: number | undefined; after: Record<string, number> }> {
  const after: Record<string, number> = {}
  for (const [name] of found) after[name] = await markStream(bus, name, 'growth')
  const isEmpty = [...found.values()].every(({ state }) => state.last_seq === 0)
  if (isEmpty) return { firstSeq: undefined, after }
  await pause(settleMS)
  return { firstSeq: Math.max(...Object.values(after)) + gap, after }
}
