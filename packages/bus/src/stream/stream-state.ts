import { jetstreamManager } from '@nats-io/jetstream'
import { headers } from '@nats-io/nats-core'
import { clock } from '@parley/async/clock'
import { durableConsumers } from '@parley/contracts/bus/streams'
import { markSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { findStored } from './find-stored.ts'
import { awaitStreams, findInfo, type Info, readInfo } from './stream-info.ts'

/**
 * How much of the stream is read again before the time from which on something may be missing: for the clocks of several
 * NATS servers, and for events on their way at that time.
 */
export const marginMS = 15_000

/** The extent of a stream, by its own clock. All times are Unix milliseconds. */
export interface StreamState {
  name: string
  /** When the stream was made: a lost one that was made again has another time. */
  createdAtMS: number
  /** The oldest message that it still has; with none, the position of the next. */
  firstSeq: number
  /** It has every message that it ever took. */
  isWhole: boolean
  /** When the oldest message that it still has came; undefined when it has none. */
  firstAtMS: number | undefined
  /** When the newest message came, which may be dropped since; undefined when there was none. */
  lastAtMS: number | undefined
  /** The time of NATS. */
  nowMS: number
  /** It took over partitions: what is older is in the streams before it. */
  hasGrown: boolean
  /** How many streams there are. */
  count: number
}

/**
 * Asks NATS for the state of the stream. Messages that NATS sent to this process before, on the same connection, have
 * arrived when this settles.
 * @throws when NATS is away
 */
export async function readStreamState(bus: Bus, name: string): Promise<StreamState> {
  const { created, config, state, ts, count, after } = await readInfo(bus, name)
  return {
    name,
    createdAtMS: Date.parse(created),
    firstSeq: state.first_seq,
    // NATS leaves out a first position that is its own.
    isWhole: state.first_seq <= (config.first_seq || 1),
    firstAtMS: state.messages > 0 ? Date.parse(state.first_ts) : undefined,
    lastAtMS: state.last_seq > 0 ? Date.parse(state.last_ts) : undefined,
    nowMS: ts === undefined ? clock.now() : Date.parse(ts),
    hasGrown: after !== undefined,
    count,
  }
}

/**
 * The states of all streams, by name.
 * @throws when NATS is away, or a stream is missing
 */
export async function readStreamStates(bus: Bus): Promise<Map<string, StreamState>> {
  if (!bus.streams.areAllThere) await awaitStreams(bus)
  for (;;) {
    const { names } = bus.streams
    const states = await Promise.all(names.map((name) => readStreamState(bus, name)))
    if (states.every(({ count }) => count <= names.length)) return new Map(states.map((state) => [state.name, state]))
    await awaitStreams(bus)
  }
}

export interface StreamSize {
  messages: number
  bytes: number
  /** Beyond it, the oldest messages go. */
  maxBytes: number
  /** How long ago the oldest message came; 0 with none. */
  oldestSeconds: number
  /** How long messages are kept at most. */
  maxAgeSeconds: number
}

/** How much a stream holds, and how much it may. @throws when NATS is away */
export async function readStreamSize(bus: Bus, stream: string): Promise<StreamSize> {
  const { state, config } = await readInfo(bus, stream)
  const { messages, bytes, first_ts } = state
  return {
    ...{ messages, bytes },
    maxBytes: config.max_bytes,
    oldestSeconds: messages > 0 ? Math.max(0, clock.now() - Date.parse(first_ts)) / 1_000 : 0,
    maxAgeSeconds: config.max_age / 1e9,
  }
}

/**
 * Marks the end of a stream: messages that NATS delivered to subscribers before this call have lower positions.
 * Returns the mark's position.
 * @throws when the stream does not acknowledge it
 */
export async function markStream(bus: Bus, stream: string, node: string): Promise<number> {
  if (!bus.connected) throw new Error('NATS is away')
  return bus.publishToStream(markSubject(stream, node), '', headers())
}

/**
 * Whether a stream has everything since a time, or from a position on where one is given (not 0): it is the same
 * stream, and has dropped nothing since. A time in the future belongs to no stream.
 */
export function reachesBack(state: StreamState, { sinceMS, seq }: { sinceMS: number; seq: number }): boolean {
  if (seq > 0) return state.firstSeq <= seq
  if (sinceMS > state.nowMS + marginMS) return false
  if (sinceMS < state.createdAtMS) return state.hasGrown && state.isWhole
  if (state.isWhole) return true
  return sinceMS >= Math.floor(state.firstAtMS ?? state.lastAtMS ?? 0)
}

/** Which stream there is, and how far it has come. */
export interface StreamIdentity {
  /** When NATS made it. */
  created: string
  /** Where its positions began. */
  beganAtSeq: number
  lastSeq: number
  /** It takes all events that it has to, of this release. */
  takesAll: boolean
}

/** @returns undefined when there is no such stream. @throws when the bus is away */
export async function findStream(bus: Bus, name: string): Promise<StreamIdentity | undefined> {
  const info = await findInfo(bus, name)
  return info && identityOf(info)
}

export function identityOf({ created, config, state, takesAll }: Info): StreamIdentity {
  return { created, beganAtSeq: config.first_seq || 1, lastSeq: state.last_seq, takesAll }
}

/** The ID of the message at a position; undefined when there is none. */
export async function findMessageId(bus: Bus, stream: string, seq: number): Promise<string | undefined> {
  const message = await findStored(bus, stream, { seq })
  return message?.header.get('Nats-Msg-Id') || undefined
}

/** How far the consumers of a stream have got. */
export interface Handled {
  /** Every message that the stream took before is handled by all consumers there are; Unix milliseconds. */
  upToMS: number
  /** By the name of the consumer, the position up to which it has handled everything. */
  seqs: Record<string, number>
}

export async function findHandled(bus: Bus, stream: string): Promise<Handled> {
  const nowMS = clock.now()
  const manager = await jetstreamManager(bus.nats, { checkAPI: false })
  const names = new Set<string>(Object.values(durableConsumers).map(({ name }) => name))
  const floors: number[] = []
  const seqs: Handled['seqs'] = {}
  for await (const { name, num_pending, num_ack_pending, ack_floor } of manager.consumers.list(stream)) {
    if (!names.has(name)) continue
    seqs[name] = ack_floor.stream_seq
    if (num_pending + num_ack_pending > 0) floors.push(ack_floor.stream_seq)
  }
  if (floors.length === 0) return { upToMS: nowMS, seqs }
  const next = await findStored(bus, stream, { seq: Math.min(...floors) + 1, next_by_subj: '>' })
  return { upToMS: next ? Date.parse(next.timestamp) : nowMS, seqs }
}

/** Deletes a stream and its consumers. */
export async function deleteStream(bus: Bus, name: string): Promise<void> {
  const manager = await jetstreamManager(bus.nats, { checkAPI: false })
  await manager.streams.delete(name)
}
