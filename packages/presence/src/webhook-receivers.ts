import { clock } from '@parley/async/clock'
import type { Presence } from './connect.ts'
import { execAll } from './exec-all.ts'

export interface RecordedCall {
  atMS: number
  headers: Record<string, string>
  body: string
  /** The body was truncated. */
  isCut?: true
}

export interface Receiver {
  app: string
  endsAtMS: number
  /** The status that the receiver responds with. */
  status: number
  /** Number of calls so far. */
  count: number
}

/** Maximum number of receivers per app. A further one closes the oldest. */
const maxReceivers = 5
const longestMS = 3_600_000
/** Only the latest calls are kept. */
const maxKeptCalls = 100
/** A receiver accepts no further calls: its URL may have leaked. */
export const maxCalls = 1_000

const receiverKey = (id: string) => `{parley}:receiver:${id}`
const callsKey = (id: string) => `{parley}:receiver-calls:${id}`
const ofAppKey = (app: string) => `{parley}:receivers:${app}`

/** Opens a receiver. All its keys expire. */
export async function openReceiver(
  { redis }: Presence,
  id: string,
  { app, endsAtMS, status }: Omit<Receiver, 'count'>,
): Promise<void> {
  await execAll(
    redis
      .multi()
      .hset(receiverKey(id), { app, endsAtMS, status })
      .pexpireat(receiverKey(id), endsAtMS)
      .zadd(ofAppKey(app), `${clock.now()}`, id)
      .pexpire(ofAppKey(app), longestMS),
  )
  const surplus = await redis.zrange(ofAppKey(app), 0, `${-maxReceivers - 1}`)
  await Promise.all(surplus.map((old) => closeReceiver({ redis }, app, old)))
}

export async function findReceiver({ redis }: Presence, id: string): Promise<Receiver | undefined> {
  const { app, endsAtMS = '0', status = '200', count = '0' } = await redis.hgetall(receiverKey(id))
  const isOpen = app !== undefined && Number(endsAtMS) > clock.now()
  return isOpen ? { app, endsAtMS: Number(endsAtMS), status: Number(status), count: Number(count) } : undefined
}

export async function closeReceiver({ redis }: Pick<Presence, 'redis'>, app: string, id: string): Promise<void> {
  await execAll(redis.multi().del(receiverKey(id), callsKey(id)).zrem(ofAppKey(app), id))
}

export async function recordCall({ redis }: Presence, id: string, endsAtMS: number, call: RecordedCall): Promise<void> {
  await execAll(
    redis
      .multi()
      .hincrby(receiverKey(id), 'count', 1)
      .lpush(callsKey(id), JSON.stringify(call))
      .ltrim(callsKey(id), 0, maxKeptCalls - 1)
      // If the receiver was closed meanwhile, HINCRBY has recreated the key, so set its expiry too.
      .pexpireat(receiverKey(id), endsAtMS)
      .pexpireat(callsKey(id), endsAtMS),
  )
}

export async function readRecordedCalls({ redis }: Presence, id: string): Promise<RecordedCall[]> {
  const found = await redis.lrange(callsKey(id), 0, -1)
  return found.map((json) => JSON.parse(json) as RecordedCall)
}
