import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream'
import { type DurableConsumer, durableConsumers, streamName, streamSubjects } from '@parley/contracts/bus/streams'
import type { Bus } from '../connect.ts'
import { countIn, streamMetadata } from './stream-info.ts'

const second = 1_000_000_000

export interface StreamOptions {
  /** Hours that events are kept for consumers that are away. */
  maxAgeHours: number
  /** Size limit in bytes, beyond which the oldest events are dropped. */
  maxBytes: number
  /** Replicas in a NATS cluster. */
  replicas: number
}

const defaultStreamOptions: StreamOptions = { maxAgeHours: 72, maxBytes: 8 * 1024 ** 3, replicas: 1 }

/** One of `count` streams. */
interface WantedStream {
  index: number
  count: number
  /** First position of a new stream, above every position of earlier ones. */
  firstSeq?: number | undefined
  /** For a new stream that takes over partitions; see `Grown`. */
  after?: Readonly<Record<string, number>> | undefined
}

/** Ensures that a stream exists with at least these limits. Larger limits set by others stay. */
export async function ensureStream(
  bus: Bus,
  options: StreamOptions = defaultStreamOptions,
  { index, count, firstSeq, after }: WantedStream = { index: 0, count: 1 },
): Promise<void> {
  const { streams } = await jetstreamManager(bus.nats)
  const wanted = {
    name: streamName(index),
    subjects: streamSubjects(index, count),
    ...limitsOf(options),
    metadata: streamMetadata({ count, after }),
    ...(firstSeq !== undefined && { first_seq: firstSeq }),
    // Longer than the relay waits before it publishes again, so that the stream drops the duplicate.
    duplicate_window: 120 * second,
  }
  await streams.add(wanted).catch(async (error: Error) => {
    const isFull = isStorageExceeded(error)
    // NATS checks for room before it checks whether the stream exists.
    const exists = isFull && (await streams.info(wanted.name).then(Boolean, () => false))
    if (isFull && !exists) throw noRoom(options, error)
    if (!exists && !/already in use/.test(error.message)) throw error
    await raise(streams, wanted, { index, count })
  })
}

const probeOf = (stream: string) => `${stream}_PROBE`

/** Checks whether NATS has room for more streams, by creating empty ones of that size. @throws if there is no room */
export async function requireRoom(bus: Bus, options: StreamOptions, names: readonly string[]): Promise<void> {
  const { streams } = await jetstreamManager(bus.nats)
  try {
    for (const name of names) {
      await streams.add({ name: probeOf(name), subjects: [`parley.probe.${name}`], ...limitsOf(options) })
    }
  } catch (error) {
    throw isStorageExceeded(error) ? noRoom(options, error) : error
  } finally {
    await forgetProbes(bus, names)
  }
}

/** Removes probe streams, also those that a killed process left behind. */
export async function forgetProbes(bus: Bus, names: readonly string[]): Promise<void> {
  const { streams } = await jetstreamManager(bus.nats)
  await Promise.all(names.map((name) => streams.delete(probeOf(name)).catch(() => false)))
}

function limitsOf({ maxAgeHours, maxBytes, replicas }: StreamOptions) {
  return {
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: maxAgeHours * 3600 * second,
    max_bytes: maxBytes,
    num_replicas: replicas,
  }
}

function noRoom({ maxBytes }: StreamOptions, cause: unknown): Error {
  const remedy = 'free disk space, raise max_file_store of NATS, or lower PARLEY_STREAM_MAX_BYTES'
  return new Error(`JetStream has no room for a stream of ${maxBytes} bytes: ${remedy}`, { cause })
}

type Config = Parameters<JetStreamManager['streams']['add']>[0] & {
  name: string
  max_age: number
  max_bytes: number
  num_replicas: number
  duplicate_window: number
}

/** Raises the limits of an existing stream, and sets its subjects for `count` streams. */
async function raise(
  streams: JetStreamManager['streams'],
  wanted: Config,
  { index, count }: WantedStream,
): Promise<void> {
  const { config } = await streams.info(wanted.name)
  const max = Math.max(count, countIn(config))
  const subjects = streamSubjects(index, max)
  const foreign = config.subjects.filter((subject) => !isOfPartition(subject) && !subjects.includes(subject))
  await streams.update(wanted.name, {
    subjects: [...subjects, ...foreign],
    max_age: larger(config.max_age, wanted.max_age),
    max_bytes: larger(config.max_bytes, wanted.max_bytes),
    num_replicas: Math.max(config.num_replicas, wanted.num_replicas),
    duplicate_window: Math.max(config.duplicate_window, wanted.duplicate_window),
    metadata: { ...config.metadata, ...streamMetadata({ count: max }) },
  })
}

/** Other subjects belong to a later release. */
const isOfPartition = (subject: string) => /^parley\.(event|push|feed)\./.test(subject)

/** JSStorageResourcesExceededErr, JSClusterNoPeersErrF (github.com/nats-io/nats-server/blob/main/server/errors.json). */
const storageExceeded: ReadonlySet<number> = new Set([10_047, 10_005])
const isStorageExceeded = (error: unknown) => error instanceof JetStreamApiError && storageExceeded.has(error.code)

/** The larger of two NATS limits, where 0 and -1 mean no limit. */
function larger(one: number, other: number): number {
  return one <= 0 || other <= 0 ? Math.min(one, other) : Math.max(one, other)
}

/** A message is redelivered after this long without an ack or progress, also after a kill. */
export const ackWaitSeconds = 10

/** Messages in flight across all instances of a service. */
const maxAckPending = 2_000

const consumerHasOtherConfig = 10_148

/** Returns the position up to which a consumer has handled everything in a stream; undefined if unknown. */
export type FindHandled = (name: DurableConsumer, stream: string) => Promise<number | undefined>

/** Ensures that a durable consumer exists in every existing stream; see `ensureConsumer`. */
export async function ensureConsumers(bus: Bus, name: DurableConsumer, findHandled: FindHandled): Promise<void> {
  for (const stream of bus.streams.names) {
    await ensureConsumer(bus, name, stream, findHandled).catch((error: unknown) => {
      // The stream is still being created.
      if (!isMissing(error)) throw error
    })
  }
}

/**
 * Ensures that a durable consumer exists in a stream. A new one starts after the last handled position, so that a
 * consumer deleted by an operator handles nothing twice; if that is unknown, it starts at the beginning. An existing
 * consumer gets our subjects.
 */
export async function ensureConsumer(
  bus: Bus,
  name: DurableConsumer,
  stream: string,
  findHandled: FindHandled,
): Promise<void> {
  const manager = await jetstreamManager(bus.nats)
  const consumer = durableConsumers[name]
  const config = {
    filter_subjects: [...consumer.subjects],
    ack_wait: ackWaitSeconds * second,
    max_ack_pending: maxAckPending,
    max_deliver: -1,
  }
  try {
    await manager.consumers.update(stream, consumer.name, config)
    return
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const handled = await findHandled(name, stream)
  const start =
    handled === undefined
      ? { deliver_policy: DeliverPolicy.All }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: handled + 1 }
  try {
    await manager.consumers.add(stream, {
      ...{ ...config, ...start, durable_name: consumer.name, ack_policy: AckPolicy.Explicit },
    })
  } catch (error) {
    // Another process has created it meanwhile, from a slightly different position.
    if (!(error instanceof JetStreamApiError && error.code === consumerHasOtherConfig)) throw error
  }
}

/** Whether the stream, or the consumer, does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && /^(stream|consumer) (not found|deleted)$/i.test(error.message)
}

/** The progress of a durable consumer in one stream. */
interface ConsumerState {
  /** Messages not delivered yet. */
  waiting: number
  /** Messages delivered and not acknowledged yet. */
  unacknowledged: number
  /** Every message of the consumer up to this position in the stream is acknowledged. */
  doneUpToSeq: number
  /** Every message of the consumer up to this position was delivered at least once. */
  deliveredUpToSeq: number
}

/** @throws when NATS is away. */
export async function consumerState(bus: Bus, name: DurableConsumer, stream: string): Promise<ConsumerState> {
  const manager = await jetstreamManager(bus.nats, { checkAPI: false })
  const info = await manager.consumers.info(stream, durableConsumers[name].name)
  return {
    waiting: info.num_pending,
    unacknowledged: info.num_ack_pending,
    doneUpToSeq: info.ack_floor.stream_seq,
    deliveredUpToSeq: info.delivered.stream_seq,
  }
}

/** The backlog of a consumer in all streams. @throws when NATS is away. */
export async function consumerLag(
  bus: Bus,
  name: DurableConsumer,
): Promise<Pick<ConsumerState, 'waiting' | 'unacknowledged'>> {
  const states = await Promise.all(bus.streams.names.map((stream) => consumerState(bus, name, stream)))
  return {
    waiting: states.reduce((sum, { waiting }) => sum + waiting, 0),
    unacknowledged: states.reduce((sum, { unacknowledged }) => sum + unacknowledged, 0),
  }
}
