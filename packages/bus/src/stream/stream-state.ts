import { jetstreamManager } from '@nats-io/jetstream'
import { headers } from '@nats-io/nats-core'
import { clock } from '@parley/async/clock'
import { durableConsumers } from '@parley/contracts/bus/streams'
import { markSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { findStored } from './find-stored.ts'
import { awaitStreams, findInfo, type Info, readInfo } from './stream-info.ts'

/** Reading starts this far before a possible loss, for clock skew between NATS servers and events in flight. */
export const marginMS = 15_000

/** The extent of a stream, by its own clock. All times are Unix milliseconds. */
export interface StreamState {
  name: string
  /** When the stream was created; differs if a lost stream was recreated. */
  createdAtMS: number
  /** Position of the oldest message; of the next one if there is none. */
  firstSeq: number
  /** Whether it still has every message that it ever stored. */
  isWhole: boolean
  /** When the oldest message was stored; undefined if there is none. */
  firstAtMS: number | undefined
  /** When the newest message was stored, even if it was dropped since; undefined if there was none. */
  lastAtMS: number | undefined
  /** Time of the NATS server. */
  nowMS: number
  /** Whether it took over partitions: older events are in earlier streams. */
  hasGrown: boolean
  /** How many streams there are. */
  count: number
}

/** Asks NATS for a stream's state. Messages sent earlier on this connection arrive first. @throws if NATS is away */
export async function readStreamState(bus: Bus, name: string): Promise<StreamState> {
  const { created, config, state, ts, count, after } = await readInfo(bus, name)
  return {
    name,
    createdAtMS: Date.parse(created),
    firstSeq: state.first_seq,
    // NATS omits the default first position.
    isWhole: state.first_seq <= (config.first_seq || 1),
    firstAtMS: state.messages > 0 ? Date.parse(state.first_ts) : undefined,
    lastAtMS: state.last_seq > 0 ? Date.parse(state.last_ts) : undefined,
    nowMS: ts === undefined ? clock.now() : Date.parse(ts),
    hasGrown: after !== undefined,
    count,
  }
}

/** The states of all streams, by name. @throws when NATS is away, or a stream is missing */
export async function readStreamStates(bus: Bus): Promise<Map<string, StreamState>> {
  if (!bus.streams.areAllThere) await awaitStreams(bus)
  for (;;) {
    const { names } = bus.streams
    const states = await Promise.all(names.map((name) => readStreamState(bus, name)))
    if (states.every(({ count }) => count <= names.length)) return new Map(states.map((state) => [state.name, state]))
    await awaitStreams(bus)
  }
}

interface StreamSize {
  messages: number
  bytes: number
  /** Beyond this, the oldest messages are dropped. */
  maxBytes: number
  /** Age of the oldest message; 0 if there is none. */
  oldestSeconds: number
  maxAgeSeconds: number
}

/** Size and limits of a stream. @throws if NATS is away */
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
 * Publishes a mark to the end of a stream. Messages that NATS delivered to subscribers before this call have lower
 * positions. Returns the mark's position.
 * @throws if the stream does not acknowledge it
 */
export async function markStream(bus: Bus, stream: string, node: string): Promise<number> {
  if (!bus.connected) throw new Error('NATS is away')
  return bus.publishToStream(markSubject(stream, node), '', headers())
}

/**
 * Whether a stream still has everything since a time, or from a position if `seq` is not 0. A time before the stream
 * was created counts only for a stream that took over partitions and has dropped nothing. A future time is always
 * refused.
 */
export function reachesBack(state: StreamState, { sinceMS, seq }: { sinceMS: number; seq: number }): boolean {
  if (seq > 0) return state.firstSeq <= seq
  if (sinceMS > state.nowMS + marginMS) return false
  if (sinceMS < state.createdAtMS) return state.hasGrown && state.isWhole
  if (state.isWhole) return true
  return sinceMS >= Math.floor(state.firstAtMS ?? state.lastAtMS ?? 0)
}

/** Identity of a stream and its last position. */
export interface StreamIdentity {
  /** When NATS made it. */
  created: string
  /** Its first position. */
  beganAtSeq: number
  lastSeq: number
  /** Whether it captures all subjects of this release. */
  takesAll: boolean
}

/** @returns undefined if the stream does not exist. @throws if the bus is away */
export async function findStream(bus: Bus, name: string): Promise<StreamIdentity | undefined> {
  const info = await findInfo(bus, name)
  return info && identityOf(info)
}

export function identityOf({ created, config, state, takesAll }: Info): StreamIdentity {
  return { created, beganAtSeq: config.first_seq || 1, lastSeq: state.last_seq, takesAll }
}

/** ID of the message at a position; undefined if there is none. */
export async function findMessageId(bus: Bus, stream: string, seq: number): Promise<string | undefined> {
  const message = await findStored(bus, stream, { seq })
  return message?.header.get('Nats-Msg-Id') || undefined
}

export interface Handled {
  /** All existing consumers have handled every message stored before this time (Unix milliseconds). */
  upToMS: number
  /** By consumer name: the position up to which it has handled everything. */
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

export async function deleteStream(bus: Bus, name: string): Promise<void> {
  const manager = await jetstreamManager(bus.nats, { checkAPI: false })
  await manager.streams.delete(name)
}
