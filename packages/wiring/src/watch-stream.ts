import { clock } from '@parley/async/clock'
import type { Bus } from '@parley/bus/connect'
import { sharedPoll } from '@parley/bus/shared-poll'
import { ensureStreams } from '@parley/bus/stream/ensure-streams'
import { ensureStream, type StreamOptions } from '@parley/bus/stream/stream'
import { learnStreams } from '@parley/bus/stream/stream-info'
import type { Acknowledged } from '@parley/bus/stream/stream-publisher'
import {
  findHandled,
  findMessageId,
  findStream,
  identityOf,
  type StreamIdentity,
} from '@parley/bus/stream/stream-state'
import { maxStreams } from '@parley/contracts/bus/partitions'
import { type StreamPoll, streamPoll } from '@parley/contracts/bus/polls'
import { streamNames } from '@parley/contracts/bus/streams'
import type { Db } from '@parley/db/connect'
import type { StreamStateDoc } from '@parley/db/events/documents'
import { findStreamStates, insertStreamState, recordProgress, recordRecovery } from '@parley/db/events/stream-state'
import type { Logger } from '@parley/service/log'
import type { Metrics } from '@parley/service/metrics'
import { findLoss, type Loss, nextFirstSeq, replaceStream } from './stream-loss.ts'

/** One of all processes records the progress of a stream; less often while nothing is published. */
const recordEveryMS = { busy: 1_000, idle: 5_000 } as const

/** Ensures that the streams exist. A stream that replaces a lost one continues above its sequences. */
export async function openStreams(db: Db, bus: Bus, options: WatchedStreams['options']): Promise<void> {
  const states = await findStreamStates(db)
  const firstSeqOf = (stream: string) => {
    const state = states.get(stream)
    return state && nextFirstSeq(state)
  }
  await ensureStreams(bus, { ...options, count: Math.max(options.count, countOf(states)) }, firstSeqOf)
}

/** The number of recorded streams. */
const countOf = (states: ReadonlyMap<string, unknown>) =>
  streamNames(maxStreams).findLastIndex((name) => states.has(name)) + 1

interface WatchedStreams {
  db: Db
  bus: Bus
  /** At least `count` streams. */
  options: StreamOptions & { count: number }
  log: Logger
  metrics: Metrics
}

/** State of a stream between two checks of this process. */
interface Seen {
  losses: number | undefined
  suspected: Loss | undefined
  /** The last sequence acknowledged to this process. */
  seq: number | undefined
}

/**
 * Detects lost or rolled-back streams until the signal aborts, and replaces them. rebuildLostStreams then replays the
 * events. Services take turns at checking; a process that has published since the last check also checks itself.
 */
export async function watchStreams(watched: WatchedStreams, signal: AbortSignal): Promise<void> {
  const { db, bus, options, log, metrics } = watched
  const lost = metrics.counter('parley_stream_lost_total', 'Losses of a stream of events that were noticed', [])
  const seen = new Map<string, Seen>()
  const seenOf = (stream: string): Seen => {
    const known = seen.get(stream) ?? { losses: undefined, suspected: undefined, seq: undefined }
    seen.set(stream, known)
    return known
  }

  async function poll(): Promise<StreamPoll | undefined> {
    if (!bus.connected) return undefined
    const states = await findStreamStates(db)
    // Read before querying the streams, which can advance meanwhile.
    const acknowledged = new Map(bus.streams.names.map((name) => [name, bus.acknowledged.latest(name)]))
    const found = await learnStreams(bus, Math.max(countOf(states), options.count))
    const { names } = bus.streams
    if (names.some((name) => !states.has(name))) {
      await begin(watched, states)
      return undefined
    }
    let isFine = true
    for (const [index, name] of names.entries()) {
      const state = states.get(name)
      const info = found.get(name)
      const stream = info && identityOf(info)
      if (state && !(await lookAt(index, state, { acknowledged: acknowledged.get(name), stream }))) isFine = false
    }
    return isFine ? { losses: lossesOf(seen), streams: names.length } : undefined
  }

  /** @returns whether the stream is intact */
  async function lookAt(
    index: number,
    state: StreamStateDoc,
    { stream, ...before }: { acknowledged: Acknowledged | undefined; stream: StreamIdentity | undefined },
  ): Promise<boolean> {
    const name = state._id
    const known = seenOf(name)
    const isLost = state.losses > (known.losses ?? state.losses)
    const acknowledged = isLost ? undefined : before.acknowledged
    if (isLost) {
      lost.inc(state.losses - (known.losses ?? 0))
      const { losses, rebuilding } = state
      log.error({ stream: name, losses, sinceMS: rebuilding?.sinceMS }, 'the stream of events was lost')
      bus.acknowledged.forget(name)
    }
    known.losses = state.losses
    const loss = await findLoss(bus, state, acknowledged, stream)
    const isConfirmed = loss !== undefined && loss === known.suspected
    known.suspected = loss
    if (loss === undefined && stream) {
      if (!stream.takesAll) await mend(watched, index)
      // The process that recorded the loss could not create a new stream: NATS was starting without its disk, or
      // unreachable.
      if (state.repairUntilMS !== undefined && state.repairUntilMS < clock.now()) await recordRecovery(db, state)
      await record(watched, state, stream)
      known.seq = acknowledged?.seq
      return true
    }
    // NATS may just be starting: act only if the next check confirms the loss.
    if (!isConfirmed) return false
    const { created, seq } = state
    log.warn({ loss, known: { created, seq }, stream }, 'the stream of events differs from its record')
    await replaceStream(db, bus, { ...options, index }, state)
    return false
  }

  const onError = (error: Error) => log.warn({ err: error }, 'stream of events not checked; trying again')
  const isEnough = ({ losses, streams }: StreamPoll) =>
    streams === bus.streams.names.length &&
    streams === seen.size &&
    losses === lossesOf(seen) &&
    [...seen].every(([name, { suspected, seq }]) => {
      return suspected === undefined && bus.acknowledged.latest(name)?.seq === seq
    })
  const shared = { name: `stream of ${db.mongo.databaseName}`, schema: streamPoll, poll, isEnough }
  await sharedPoll(bus, shared, { onError, signal })
}

/** Restores the stream's subjects: a starting service of an earlier release sets only the subjects that it knows. */
async function mend({ bus, options, log }: WatchedStreams, index: number): Promise<void> {
  await ensureStream(bus, options, { index, count: bus.streams.names.length })
  log.warn('the stream of events lacked subjects of this release; restored')
}

const lossesOf = (seen: ReadonlyMap<string, Seen>) =>
  [...seen.values()].reduce((sum, { losses = 0 }) => sum + losses, 0)

/** Creates and records streams that never existed. */
async function begin({ db, bus, options }: WatchedStreams, states: ReadonlyMap<string, StreamStateDoc>): Promise<void> {
  await openStreams(db, bus, options)
  for (const name of bus.streams.names) {
    const stream = states.has(name) ? undefined : await findStream(bus, name)
    if (!stream) continue
    const now = clock.now()
    const state = { created: stream.created, seq: stream.lastSeq, seenAtMS: now, handledUpToMS: now, losses: 0 }
    await insertStreamState(db, { _id: name, ...state })
  }
}

async function record({ db, bus }: WatchedStreams, state: StreamStateDoc, { lastSeq }: StreamIdentity): Promise<void> {
  const name = state._id
  const seenAtMS = clock.now()
  // Absolute difference: a future time from a wrong clock must not block recording until then.
  if (Math.abs(state.seenAtMS - seenAtMS) < recordEveryMS[lastSeq === state.seq ? 'idle' : 'busy']) return
  const witness = lastSeq === 0 ? undefined : await findMessageId(bus, name, lastSeq)
  // During a replay, times in the stream are not those of the events.
  const { upToMS, seqs } = await findHandled(bus, name)
  const handledUpToMS = state.rebuilding ? state.handledUpToMS : upToMS
  await recordProgress(db, state, { seq: lastSeq, witness, seenAtMS, handledUpToMS, handledSeqs: seqs })
}
