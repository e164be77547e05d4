import { clock } from '@parley/async/clock'
import type { Bus } from '@parley/bus/connect'
import { markStream, reachesBack, readStreamState, type StreamState } from '@parley/bus/stream/stream-state'
import { audienceOf } from '../delivery/topics.ts'
import { earliestOf, type ReadOutcome, type ReplayReader } from './replay-reader.ts'
import type { StreamClock } from './server-time.ts'

/** The streams with missed events of each reader. */
type StreamsByReader = ReadonlyMap<ReplayReader, ReadonlySet<string>>

export function streamsByReader({ streams }: Bus, readers: readonly ReplayReader[]): StreamsByReader {
  const all = new Set(streams.names)
  if (all.size === 1) return new Map(readers.map((reader) => [reader, all]))
  const ofReader = (reader: ReplayReader) => {
    const topics = [...(reader.socket.topics ?? [])]
    return new Set(topics.flatMap(({ name }) => streams.streamsOf(audienceOf(name), earliestOf([reader]))))
  }
  return new Map(readers.map((reader) => [reader, ofReader(reader)]))
}

const namesIn = (byReader: StreamsByReader) => [
  ...new Set([...byReader.values()].flatMap((streams) => Array.from(streams))),
]

export async function markAll(
  { bus, nodeId }: { bus: Bus; nodeId: string },
  byReader: StreamsByReader,
): Promise<Map<string, number>> {
  const marks = namesIn(byReader).map(async (name) => [name, await markStream(bus, name, nodeId)] as const)
  return new Map(await Promise.all(marks))
}

/**
 * Refuses readers whose streams no longer have all of their missed events. Returns false if there are more streams than
 * were known.
 */
export async function refuseTooOld(
  { bus, clock: streamClock }: { bus: Bus; clock: StreamClock },
  byReader: StreamsByReader,
  outcomes: Map<ReplayReader, ReadOutcome>,
): Promise<boolean> {
  const askedMS = clock.now()
  const states = new Map<string, StreamState>()
  const asking = namesIn(byReader).map(async (name) => states.set(name, await readStreamState(bus, name)))
  await Promise.all(asking)
  const all = [...states.values()]
  if (all.length > 0) streamClock.set(Math.min(...all.map(({ nowMS }) => nowMS)), askedMS)
  for (const [reader, streams] of byReader) {
    const { sinceMS, from } = reader
    const isKept = [...streams].every((name) => {
      const state = states.get(name)
      return state !== undefined && reachesBack(state, { sinceMS, seq: from.get(name) ?? 0 })
    })
    if (!isKept) outcomes.set(reader, { is: 'too old' })
  }
  return all.every(({ count }) => count <= bus.streams.names.length)
}
