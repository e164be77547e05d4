import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream'
import { type DurableConsumer, durableConsumers, eventStream } from '@parley/contracts/bus/streams'
import type { Bus } from './connect.ts'

const second = 1_000_000_000

export interface StreamOptions {
  /** How long events are kept for consumers that are away; hours. */
  maxAgeHours?: number
  /** The oldest events go when the stream is larger; bytes. */
  maxBytes?: number
  /** Copies, in a NATS cluster. */
  replicas?: number
}

/**
 * Makes sure that the stream of captured events is there, with these limits. Every service calls it at
 * its start; the last one's limits hold.
 */
export async function ensureStream(bus: Bus, options: StreamOptions = {}): Promise<void> {
  const manager = await jetstreamManager(bus.nats)
  const config = {
    name: eventStream.name,
    subjects: [...eventStream.subjects],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: (options.maxAgeHours ?? 72) * 3600 * second,
    max_bytes: options.maxBytes ?? 8 * 1024 ** 3,
    num_replicas: options.replicas ?? 1,
    // Longer than the relay waits before it publishes again, so that a repeat is recognised.
    duplicate_window: 120 * second,
  }
  await manager.streams.add(config).catch(async (error: Error) => {
    // Another service may have made it with other limits.
    if (!/already in use/.test(error.message)) throw error
    await manager.streams.update(config.name, config)
  })
}

/**
 * A message that its handler has not acknowledged, nor said to be still working on, is delivered again after this: how
 * long what a killed process had taken waits for another.
 */
export const ackWaitSeconds = 10

export interface ConsumerOptions {
  /** Messages under way at once, over all instances of the service. */
  maxAckPending?: number
}

/** Makes sure that a durable consumer is there: it begins where the stream begins and keeps its place for ever. */
export async function ensureConsumer(bus: Bus, name: DurableConsumer, options: ConsumerOptions = {}): Promise<void> {
  const manager = await jetstreamManager(bus.nats)
  const consumer = durableConsumers[name]
  await manager.consumers.add(consumer.stream, {
    durable_name: consumer.name,
    filter_subjects: [...consumer.subjects],
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: ackWaitSeconds * second,
    max_ack_pending: options.maxAckPending ?? 2_000,
    max_deliver: -1,
  })
}

/** How far a durable consumer is. */
export interface ConsumerState {
  /** Messages of the stream that nobody has taken yet. */
  waiting: number
  /** Messages taken and not acknowledged yet. */
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
