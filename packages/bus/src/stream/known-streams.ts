import { type Audience, partitionOf, streamsOfPartitions } from '@parley/contracts/bus/partitions'
import { streamNames } from '@parley/contracts/bus/streams'

/** How a stream that took over partitions began. */
export interface Grown {
  /** Unix milliseconds by NATS's clock. */
  atMS: number
  /** By earlier stream: a position after its last event of these partitions. */
  after: Readonly<Record<string, number>>
}

/** Allows for clock skew between NATS servers, and for readers that start before the time asked for. */
const overlapMS = 60_000

/** The streams of events as this process knows them. */
export function createKnownStreams() {
  let names: readonly string[] = streamNames(1)
  let owners = streamsOfPartitions(1)
  /** Per partition: the streams that owned it, oldest first. */
  let histories: readonly (readonly string[])[] = []
  let known: ReadonlyMap<string, Grown | undefined> = new Map()
  const handlers = new Set<() => void>()
  const nameOf = (to: Audience) => names[owners[partitionOf(to)] ?? 0] ?? ''

  return {
    get names() {
      return names
    },
    /** Whether all of them exist, as far as is known. */
    get areAllThere() {
      return names.every((name) => known.has(name))
    },
    /** The stream that stores the events of a room or user. */
    streamOf: (to: Audience) => (names.length === 1 ? (names[0] ?? '') : nameOf(to)),
    /** The stream that captures a subject of events, or of marks, which name their stream. */
    capturing(subject: string) {
      const [, , place = ''] = subject.split('.')
      return names[owners[Number(place)] ?? -1] ?? place
    },
    /** All streams with events of a room or user since a time (Unix milliseconds), oldest first. */
    streamsOf(to: Audience, sinceMS: number) {
      if (names.length === 1) return names
      const history = histories[partitionOf(to)] ?? [nameOf(to)]
      const since = history.findLastIndex(
        (name) => known.has(name) && sinceMS > (known.get(name)?.atMS ?? 0) + overlapMS,
      )
      return history.slice(Math.max(0, since))
    },
    grown: (stream: string) => known.get(stream),
    /**
     * @param count ignored if lower than the known count
     * @param found how each existing stream began; undefined for a stream that took over nothing
     */
    learn(count: number, found: ReadonlyMap<string, Grown | undefined>) {
      known = found
      const isMore = count > names.length
      if (isMore) {
        names = streamNames(count)
        owners = streamsOfPartitions(count)
      }
      // One stream has all events, and is learnt anew each second.
      if (names.length > 1) histories = historiesOf(names, found)
      if (isMore) for (const handle of handlers) handle()
    },
    /** Calls back when streams are added. Returns a function that removes the callback. */
    onGrowth(handle: () => void) {
      handlers.add(handle)
      return () => handlers.delete(handle)
    },
  }
}
export type KnownStreams = ReturnType<typeof createKnownStreams>

/** A stream that is not found may be in creation, and may take over from any before it. */
function historiesOf(names: readonly string[], found: ReadonlyMap<string, Grown | undefined>): string[][] {
  const histories: string[][] = streamsOfPartitions(1).map(() => [])
  for (const count of names.keys()) {
    for (const [partition, owner] of streamsOfPartitions(count + 1).entries()) {
      const name = names[owner] ?? ''
      const history = histories[partition]
      if (!history || history.at(-1) === name) continue
      const before = found.has(name)
        ? history.filter((earlier) => found.get(name)?.after[earlier] !== undefined)
        : history
      histories[partition] = [...before, name]
    }
  }
  return histories
}
