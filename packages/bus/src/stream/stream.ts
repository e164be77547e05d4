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
    const isFull = error instanceof JetStreamApiError && storageExceeded.has(error.code)
    // NATS looks for room for a whole stream before it looks whether it has this one.
    const isThere = isFull && (await streams.info(wanted.name).then(Boolean, () => false))
    if (isFull && !isThere) {
      const remedy = 'free disk space, raise max_file_store of NATS, or lower PARLEY_STREAM_MAX_BYTES'
      throw new Error(`JetStream has no room for a stream of ${options.maxBytes} bytes: ${remedy}`, { cause: error })
    }
    if (!isThere && !/already in use/.test(error.message)) throw error
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

/** JSStorageResourcesExceededErr, JSClusterNoPeersErrF (github.com/nats-io/nats-server/blob/main/server/errors.json). */
const storageExceeded: ReadonlySet<number> = new Set([10_047, 10_005])

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

/** The position in the stream up to which a consumer has handled everything; undefined when it is not known. */
export type FindHandled = (name: DurableConsumer) => Promise<number | undefined>

/**
 * Makes sure that a durable consumer exists. A new one begins after the position that was handled before, so that one that
 * an operator deleted handles nothing again; without such a position, where the stream begins. One that has other subjects
 * gets ours.
 */
export async function ensureConsumer(bus: Bus, name: DurableConsumer, findHandled: FindHandled): Promise<void> {
  const manager = await jetstreamManager(bus.nats)
  const consumer = durableConsumers[name]
  const config = {
    filter_subjects: [...consumer.subjects],
    ack_wait: ackWaitSeconds * second,
    max_ack_pending: maxAckPending,
    max_deliver: -1,
  }
  try {
    await manager.consumers.update(consumer.stream, consumer.name, config)
    return
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const handled = await findHandled(name)
  const start =
    handled === undefined
      ? { deliver_policy: DeliverPolicy.All }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: handled + 1 }
  try {
    await manager.consumers.add(consumer.stream, {
      ...{ ...config, ...start, durable_name: consumer.name, ack_policy: AckPolicy.Explicit },
    })
  } catch (error) {
    // Another process has made it meanwhile, from a position that it read a moment before or after.
    if (!(error instanceof JetStreamApiError && error.code === consumerHasOtherConfig)) throw error
  }
}

/** Whether the stream, or the consumer, does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && /^(stream|consumer) (not found|deleted)$/i.test(error.message)
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
