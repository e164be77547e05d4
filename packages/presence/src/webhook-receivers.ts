import { clock } from '@parley/async/clock'
import type { Presence } from './connect.ts'

/** A call that a receiver has recorded. */
export interface RecordedCall {
  atMS: number
  headers: Record<string, string>
  body: string
  /** The body was longer than what is kept. */
  isCut?: true
}

export interface Receiver {
  app: string
  endsAtMS: number
  /** Its answer to calls. */
  status: number
  /** Calls so far. */
  count: number
}

/** Of an app; a further one ends the oldest. */
const mostReceivers = 5
const longestMS = 3_600_000
/** The latest are kept. */
const mostKeptCalls = 100
/** After this many a receiver takes no more: its address may have become known. */
export const mostCalls = 1_000

const receiverKey = (id: string) => `{parley}:receiver:${id}`
const callsKey = (id: string) => `{parley}:receiver-calls:${id}`
const ofAppKey = (app: string) => `{parley}:receivers:${app}`

/** Makes a receiver; everything of it ends by itself. */
export async function openReceiver(
  { redis }: Presence,
  id: string,
  { app, endsAtMS, status }: Omit<Receiver, 'count'>,
): Promise<void> {
  await redis
    .multi()
    .hset(receiverKey(id), { app, endsAtMS, status })
    .pexpireat(receiverKey(id), endsAtMS)
    .zadd(ofAppKey(app), `${clock.now()}`, id)
    .pexpire(ofAppKey(app), longestMS)
    .exec()
  const surplus = await redis.zrange(ofAppKey(app), 0, `${-mostReceivers - 1}`)
  await Promise.all(surplus.map((old) => closeReceiver({ redis }, app, old)))
}

export async function findReceiver({ redis }: Presence, id: string): Promise<Receiver | undefined> {
  const { app, endsAtMS = '0', status = '200', count = '0' } = await redis.hgetall(receiverKey(id))
  const isOpen = app !== undefined && Number(endsAtMS) > clock.now()
  return isOpen ? { app, endsAtMS: Number(endsAtMS), status: Number(status), count: Number(count) } : undefined
}

/** Ends it with its calls. */
export async function closeReceiver({ redis }: Presence, app: string, id: string): Promise<void> {
  await redis.multi().del(receiverKey(id), callsKey(id)).zrem(ofAppKey(app), id).exec()
}

export async function recordCall({ redis }: Presence, id: string, endsAtMS: number, call: RecordedCall): Promise<void> {
  await redis
    .multi()
    .hincrby(receiverKey(id), 'count', 1)
    .lpush(callsKey(id), JSON.stringify(call))
    .ltrim(callsKey(id), 0, mostKeptCalls - 1)
    // Also where the receiver ended meanwhile: then it is gone at once.
    .pexpireat(receiverKey(id), endsAtMS)
    .pexpireat(callsKey(id), endsAtMS)
    .exec()
}

/** The latest calls, the latest first. */
export async function readRecordedCalls({ redis }: Presence, id: string): Promise<RecordedCall[]> {
  const found = await redis.lrange(callsKey(id), 0, -1)
  return found.map((json) => JSON.parse(json) as RecordedCall)
}
