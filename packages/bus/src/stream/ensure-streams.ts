import { setTimeout as pause } from 'node:timers/promises'
import type { Bus } from '../connect.ts'
import { ensureStream, forgetProbes, requireRoom, type StreamOptions } from './stream.ts'
import { type Info, learnStreams } from './stream-info.ts'
import { markStream } from './stream-state.ts'

/** Allows for clock skew between NATS servers: events of a partition in two streams are read in order of time. */
const settleMS = 2_000
/** Positions of a new stream begin this far above earlier ones, so that the order holds and none is reused. */
export const gap = 1_000_000_000

/**
 * Ensures that `options.count` streams exist, or as many as there are. Every stream but the first takes over
 * partitions. Once NATS is known to have room for the new streams, the current owners give the partitions up; until the
 * new stream exists, events of these wait in the outbox. Any number of processes may run this at once, and one resumes
 * where another died.
 * @param firstSeqOf first position of a stream that replaces a lost one; undefined for a stream that never existed
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
  // If NATS then failed to create the new streams, nothing would store events of the partitions given up.
  const hasBegun = [...found.values()].some((info) => info.count >= count)
  if (added.length > 0 && found.size > 0 && !hasBegun) await requireRoom(bus, options, added)
  for (const [index, name] of names.entries()) {
    if (!isNew(name, index)) await ensureStream(bus, options, { index, count, firstSeq: firstSeqOf(name) })
  }
  if (added.length > 0) {
    await forgetProbes(bus, added)
    // A stream that replaces a lost one has earlier positions; a new first stream has none.
    const isReplaced = names.some((name) => !found.has(name) && firstSeqOf(name) !== undefined)
    const taken = await takeOver(bus, isReplaced ? await learnStreams(bus) : found)
    for (const [index, name] of names.entries()) {
      if (isNew(name, index)) await ensureStream(bus, options, { index, count, ...taken })
    }
  }
  await learnStreams(bus)
}

/** Marks the end of each stream that gave up partitions: all of their events have lower positions. */
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
