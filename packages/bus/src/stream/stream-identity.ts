import { JetStreamApiError, JetStreamError, jetstreamManager } from '@nats-io/jetstream'
import { clock } from '@parley/async/clock'
import { durableConsumers, eventStream } from '@parley/contracts/bus/streams'
import type { Bus } from '../connect.ts'
import { findStored } from './find-stored.ts'

/** Which stream there is, and how far it has come. */
export interface StreamIdentity {
  /** When NATS made it. */
  created: string
  /** Where its positions began. */
  beganAtSeq: number
  lastSeq: number
  /** It takes all events of this release. */
  takesAll: boolean
}

const noStream = 10_059

/** @returns undefined when there is no stream. @throws when the bus is away */
export async function findStream(bus: Bus): Promise<StreamIdentity | undefined> {
  const manager = await jetstreamManager(bus.nats, { checkAPI: false })
  try {
    const { created, config, state } = await manager.streams.info(eventStream.name)
    const takesAll = eventStream.subjects.every((subject) => config.subjects.includes(subject))
    return { created, beganAtSeq: config.first_seq || 1, lastSeq: state.last_seq, takesAll }
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === noStream) return undefined
    if (error instanceof JetStreamError && error.message === 'stream not found') return undefined
    throw error
  }
}

/** The ID of the message at a position; undefined when there is none. */
export async function findMessageId(bus: Bus, seq: number): Promise<string | undefined> {
  const message = await findStored(bus, { seq })
  return message?.header.get('Nats-Msg-Id') || undefined
}

/** How far the consumers of the stream have got. */
export interface Handled {
  /** Every message that the stream took before is handled by all consumers there are; Unix milliseconds. */
  upToMS: number
  /** By the name of the consumer, the position up to which it has handled everything. */
  seqs: Record<string, number>
}

export async function findHandled(bus: Bus): Promise<Handled> {
  const nowMS = clock.now()
  const manager = await jetstreamManager(bus.nats, { checkAPI: false })
  const names = new Set<string>(Object.values(durableConsumers).map(({ name }) => name))
  const floors: number[] = []
  const seqs: Handled['seqs'] = {}
  for await (const { name, num_pending, num_ack_pending, ack_floor } of manager.consumers.list(eventStream.name)) {
    if (!names.has(name)) continue
    seqs[name] = ack_floor.stream_seq
    if (num_pending + num_ack_pending > 0) floors.push(ack_floor.stream_seq)
  }
  if (floors.length === 0) return { upToMS: nowMS, seqs }
  const next = await findStored(bus, { seq: Math.min(...floors) + 1, next_by_subj: '>' })
  return { upToMS: next ? Date.parse(next.timestamp) : nowMS, seqs }
}

/** Deletes the stream and its consumers. */
export async function deleteStream(bus: Bus): Promise<void> {
  const manager = await jetstreamManager(bus.nats, { checkAPI: false })
  await manager.streams.delete(eventStream.name)
}
