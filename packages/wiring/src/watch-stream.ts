import { clock } from '@parley/async/clock'
import type { Bus } from '@parley/bus/connect'
import { lookInTurns } from '@parley/bus/look-in-turns'
import { ensureStream, type StreamOptions } from '@parley/bus/stream/stream'
import { findHandled, findMessageId, findStream, type StreamIdentity } from '@parley/bus/stream/stream-state'
import { type StreamLook, streamLook } from '@parley/contracts/bus/looks'
import { eventStream } from '@parley/contracts/bus/streams'
import type { Db } from '@parley/db/connect'
import type { StreamStateDoc } from '@parley/db/events/documents'
import { findStreamState, insertStreamState, recordFoundAgain, recordProgress } from '@parley/db/events/stream-state'
import type { Logger } from '@parley/service/log'
import type { Metrics } from '@parley/service/metrics'
import { findLoss, type Loss, nextFirstSeq, replaceStream } from './stream-loss.ts'

/** One process of all records how far the stream has come; less often while nothing is published. */
const recordEveryMS = { busy: 1_000, idle: 5_000 } as const

/** Makes sure that the stream exists. One in place of a lost stream goes on above its positions. */
export async function openStream(db: Db, bus: Bus, options: StreamOptions): Promise<void> {
  const state = await findStreamState(db, eventStream.name)
  await ensureStream(bus, options, state ? nextFirstSeq(state) : undefined)
}

export interface WatchedStream {
  db: Db
  bus: Bus
  options: StreamOptions
  log: Logger
  metrics: Metrics
}

/**
 * Notices that the stream is not the one that was known, or has gone back, until the signal aborts: it says so, and puts a new
 * one in its place; the events since then are published again by rebuildLostStream. Every service runs it, in turns: a process
 * that has published something since its last look looks for itself.
 */
export async function watchStream(watched: WatchedStream, signal: AbortSignal): Promise<void> {
  const { db, bus, options, log, metrics } = watched
  const lost = metrics.counter('parley_stream_lost_total', 'Losses of the stream of events that were noticed', [])
  let knownLosses: number | undefined
  let suspected: Loss | undefined
  let seen: { seq: number; id: string } | undefined

  async function look(): Promise<StreamLook | undefined> {
    if (!bus.connected) return undefined
    const state = await findStreamState(db, eventStream.name)
    if (!state) {
      await begin(db, bus, options)
      return undefined
    }
    if (state.losses > (knownLosses ?? state.losses)) {
      lost.inc(state.losses - (knownLosses ?? 0))
      log.error({ losses: state.losses, sinceMS: state.rebuilding?.sinceMS }, 'the stream of events was lost')
      bus.acknowledged.forget()
    }
    knownLosses = state.losses
    // Before the stream is asked: it may go on meanwhile.
    const acknowledged = bus.acknowledged.latest()
    const stream = await findStream(bus)
    const loss = await findLoss(bus, state, acknowledged, stream)
    const isConfirmed = loss !== undefined && loss === suspected
    suspected = loss
    if (loss === undefined && stream) {
      if (!stream.takesAll) await mend()
      // The process that noted the loss could not make a new stream: NATS had started without its disk, or was cut off.
      if (state.repairUntilMS !== undefined && state.repairUntilMS < clock.now()) await recordFoundAgain(db, state)
      await record(watched, state, stream)
      seen = acknowledged
      return { losses: state.losses }
    }
    // NATS may just be starting: a real loss is still there at the next look.
    if (!isConfirmed) return undefined
    const { created, seq } = state
    log.warn({ loss, known: { created, seq }, stream }, 'the stream of events is not the one that was known')
    await replaceStream(db, bus, options, state)
    return undefined
  }

  /** A service of an earlier release sets the subjects that it knows when it starts. */
  async function mend(): Promise<void> {
    await ensureStream(bus, options)
    log.warn('the stream of events did not take the events of this release; now it does')
  }

  const onError = (error: Error) => log.warn({ err: error }, 'stream of events not looked at; trying again')
  const isEnough = ({ losses }: StreamLook) =>
    losses === knownLosses && suspected === undefined && bus.acknowledged.latest()?.seq === seen?.seq
  const shared = { name: `stream of ${db.mongo.databaseName}`, schema: streamLook, look, isEnough }
  await lookInTurns(bus, shared, { onError, signal })
}

async function begin(db: Db, bus: Bus, options: StreamOptions): Promise<void> {
  await ensureStream(bus, options)
  const stream = await findStream(bus)
  if (!stream) return
  const now = clock.now()
  const state = { created: stream.created, seq: stream.lastSeq, seenAtMS: now, handledUpToMS: now, losses: 0 }
  await insertStreamState(db, { _id: eventStream.name, ...state })
}

async function record({ db, bus }: WatchedStream, state: StreamStateDoc, { lastSeq }: StreamIdentity): Promise<void> {
  const seenAtMS = clock.now()
  // Skip times from a wrong clock: a time in the future would hold until then.
  if (Math.abs(state.seenAtMS - seenAtMS) < recordEveryMS[lastSeq === state.seq ? 'idle' : 'busy']) return
  const witness = lastSeq === 0 ? undefined : await findMessageId(bus, lastSeq)
  // While events are published again, the time in the stream says nothing of them.
  const { upToMS, seqs } = await findHandled(bus)
  const handledUpToMS = state.rebuilding ? state.handledUpToMS : upToMS
  await recordProgress(db, state, { seq: lastSeq, witness, seenAtMS, handledUpToMS, handledSeqs: seqs })
}
