import { setTimeout as pause } from 'node:timers/promises'
import { JetStreamApiError, JetStreamError, jetstreamManager, type StreamInfo } from '@nats-io/jetstream'
import { streamName, streamNames, streamSubjects } from '@parley/contracts/bus/streams'
import type { Bus } from '../connect.ts'
import type { Grown } from './known-streams.ts'

/** Metadata of a stream: how many streams there are, and where it took over partitions (`Grown`). */
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
  /** The time of NATS, in every answer of 2.10 and later; the types of the client leave it out. */
  ts?: string
  /** How many streams there are. */
  count: number
  after: Grown['after'] | undefined
  /** It takes all events that it has to, of this release. */
  takesAll: boolean
}

/** @throws when the bus is away, or there is no such stream */
export async function readInfo(bus: Bus, name: string): Promise<Info> {
  const { streams } = await jetstreamManager(bus.nats, { checkAPI: false })
  return toInfo(name, await streams.info(name))
}

/** How many streams there are, as the configuration of one says. */
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

/** @returns undefined when there is no such stream. @throws when the bus is away */
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
 * Asks NATS which streams there are, and makes the bus know them.
 * @param atLeast how many are known from elsewhere
 * @returns by name; lost ones are missing
 * @throws when the bus is away
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

const lookAgainMS = 250
/** Longer than other processes take to make a stream. */
const mostWaitMS = 5_000

/**
 * As `learnStreams`, once all of them are there.
 * @throws also when one is still missing after some seconds
 */
export async function awaitStreams(bus: Bus): Promise<void> {
  const deadlineMS = performance.now() + mostWaitMS
  for (;;) {
    const found = await learnStreams(bus)
    if (found.size === bus.streams.names.length) return
    if (performance.now() > deadlineMS) throw new Error('a stream of events is missing')
    await pause(lookAgainMS)
  }
}
