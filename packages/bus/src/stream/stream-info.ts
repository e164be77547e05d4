import { setTimeout as pause } from 'node:timers/promises'
import { JetStreamApiError, JetStreamError, jetstreamManager, type StreamInfo } from '@nats-io/jetstream'
import { streamName, streamNames, streamSubjects } from '@parley/contracts/bus/streams'
import type { Bus } from '../connect.ts'
import type { Grown } from './known-streams.ts'

/** Keys of stream metadata: the number of streams, and where this one took over partitions (`Grown`). */
const keys = { count: 'parley.streams', after: 'parley.after' } as const

export function streamMetadata({
  count,
  after,
}: {
  count: number
  after?: Grown['after'] | undefined
}): Record<string, string> {
  return { [keys.count]: String(count), ...(after && { [keys.after]: JSON.stringify(after) }) }
}

/** A stream as NATS describes it. */
export interface Info extends StreamInfo {
  /** Time of the NATS server, in every response since 2.10. Missing from the client's types. */
  ts?: string
  /** How many streams there are. */
  count: number
  after: Grown['after'] | undefined
  /** Whether it captures all subjects of this release. */
  takesAll: boolean
}

/** @throws if the bus is away or the stream does not exist */
export async function readInfo(bus: Bus, name: string): Promise<Info> {
  const { streams } = await jetstreamManager(bus.nats, { checkAPI: false })
  return toInfo(name, await streams.info(name))
}

export function countIn({ metadata }: Pick<StreamInfo['config'], 'metadata'>): number {
  return Number(metadata?.[keys.count] ?? 1)
}

function toInfo(name: string, info: StreamInfo): Info {
  const { metadata = {}, subjects } = info.config
  const count = countIn(info.config)
  const after = metadata[keys.after]
  const index = streamNames(count).indexOf(name)
  return Object.assign(info, {
    count,
    after: after === undefined ? undefined : (JSON.parse(after) as Grown['after']),
    takesAll: streamSubjects(index, count).every((subject) => subjects.includes(subject)),
  })
}

const noStream = 10_059

/** @returns undefined if the stream does not exist. @throws if the bus is away */
export async function findInfo(bus: Bus, name: string): Promise<Info | undefined> {
  try {
    return await readInfo(bus, name)
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === noStream) return undefined
    if (error instanceof JetStreamError && error.message === 'stream not found') return undefined
    throw error
  }
}

/**
 * Asks NATS which streams exist, and updates `bus.streams`.
 * @param atLeast number of streams known from elsewhere
 * @returns the streams by name, without lost ones
 * @throws if the bus is away
 */
export async function learnStreams(bus: Bus, atLeast = 1): Promise<Map<string, Info>> {
  const found = new Map<string, Info>()
  let count = Math.max(atLeast, bus.streams.names.length)
  for (let index = 0; index < count; index++) {
    const info = await findInfo(bus, streamName(index))
    if (!info) continue
    found.set(streamName(index), info)
    count = Math.max(count, info.count)
  }
  const began = [...found].map(
    ([name, { created, after }]) => [name, after && { atMS: Date.parse(created), after }] as const,
  )
  bus.streams.learn(count, new Map(began))
  return found
}

const recheckMS = 250
/** Longer than another process takes to create a stream. */
const maxWaitMS = 5_000

/** Like `learnStreams`, but waits until all streams exist. @throws also if one is still missing after some seconds */
export async function awaitStreams(bus: Bus): Promise<void> {
  const deadlineMS = performance.now() + maxWaitMS
  for (;;) {
    const found = await learnStreams(bus)
    if (found.size === bus.streams.names.length) return
    if (performance.now() > deadlineMS) throw new Error('a stream of events is missing')
    await pause(recheckMS)
  }
}
