import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream'
import { type DurableConsumer, durableConsumers, eventStream } from '@parley/contracts/bus/streams'
import type { Bus } from '../connect.ts'

const second = 1_000_000_000

export interface StreamOptions {
  /** How long events are kept for consumers that are away; hours. */
  maxAgeHours: number
  /** When the stream is larger, the oldest events go; bytes. */
  maxBytes: number
  /** Replicas in a NATS cluster. */
  replicas: number
}

const defaultStreamOptions: StreamOptions = { maxAgeHours: 72, maxBytes: 8 * 1024 ** 3, replicas: 1 }

/**
 * Makes sure that the stream of captured events exists, with at least these limits. Every service calls it at its
 * start. A stream that keeps more, because an operator or another service set it so, stays as it is.
 * @param firstSeq of a new stream: above every position of the one before it
 */
export async function ensureStream(
  bus: Bus,
  options: StreamOptions = defaultStreamOptions,
  firstSeq?: number,
): Promise<void> {
  const { streams } = await jetstreamManager(bus.nats)
  const wanted = {
    name: eventStream.name,
    subjects: [...eventStream.subjects],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: options.maxAgeHours * 3600 * second,
    max_bytes: options.maxBytes,
    num_replicas: options.replicas,
    ...(firstSeq !== undefined && { first_seq: firstSeq }),
    // Longer than the relay waits before it publishes again, so that the stream recognises a repeat.
    duplicate_window: 120 * second,
  }
  await streams.add(wanted).catch(async (error: Error) => {
    if (!/already in use/.test(error.message)) throw error
    const { config } = await streams.info(wanted.name)
    await streams.update(wanted.name, {
      subjects: [...new Set([...config.subjects, ...wanted.subjects])],
      max_age: larger(config.max_age, wanted.max_age),
      max_bytes: larger(config.max_bytes, wanted.max_bytes),
      num_replicas: Math.max(config.num_replicas, wanted.num_replicas),
      duplicate_window: Math.max(config.duplicate_window, wanted.duplicate_window),
    })
  })
}

/** The larger of two limits of NATS, where 0 and -1 are no limit. */
function larger(one: number, other: number): number {
  return one <= 0 || other <= 0 ? Math.min(one, other) : Math.max(one, other)
}

/**
 * A message that its handler has neither acknowledged nor reported as in progress is delivered again after this long:
 * how long the messages of a killed process wait for another process.
 */
export const ackWaitSeconds = 10

/** Messages in flight, over all instances of the service. */
const maxAckPending = 2_000

const consumerHasOtherConfig = 10_148

/**
 * Makes sure that a durable consumer exists: it begins where the stream begins and keeps its position for ever. One that
 * has other subjects, from a build between two releases, gets ours: better than that nothing is handled.
 */
export async function ensureConsumer(bus: Bus, name: DurableConsumer): Promise<void> {
  const manager = await jetstreamManager(bus.nats)
  const consumer = durableConsumers[name]
  const config = {
    filter_subjects: [...consumer.subjects],
    ack_wait: ackWaitSeconds * second,
    max_ack_pending: maxAckPending,
    max_deliver: -1,
  }
  try {
    await manager.consumers.add(consumer.stream, {
      ...config,
      durable_name: consumer.name,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
    })
  } catch (error) {
    if (!(error instanceof JetStreamApiError && error.code === consumerHasOtherConfig)) throw error
    await manager.consumers.update(consumer.stream, consumer.name, config)
  }
}

/** The progress of a durable consumer. */
export interface ConsumerState {
  /** Messages not delivered yet. */
  waiting: number
  /** Messages delivered and not acknowledged yet. */
  unacknowledged: number
  /** Every message of the consumer up to this position in the stream is acknowledged. */
  doneUpToSeq: number
}

/** @throws when NATS is away. */
export async function consumerState(bus: Bus, name: DurableConsumer): Promise<ConsumerState> {
  const { stream, name: durable } = durableConsumers[name]
  const manager = await jetstreamManager(bus.nats, { checkAPI: false })
  const info = await manager.consumers.info(stream, durable)
  return {
    waiting: info.num_pending,
    unacknowledged: info.num_ack_pending,
    doneUpToSeq: info.ack_floor.stream_seq,
  }
}
