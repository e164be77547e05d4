import type { Presence } from './connect.ts'

/**
 * Live socket connections per app over all realtime nodes. Each node reports its absolute count, so lost or repeated
 * reports do no harm. A node that stops reporting expires after `nodeTtlMS`.
 *
 * Keys: `{parley}:nodes`, sorted set of node → expiry (ms, Redis's clock); `{parley}:connections:<app>`, hash of node →
 * count; `{parley}:peaks:<app>`, hash of minute → highest total of the nodes that reported in time. Every report
 * updates the peak, so that a burst between two reads is not missed.
 */
export const nodesKey = '{parley}:nodes'
const connectionsKey = (app: string) => `{parley}:connections:${app}`
const peaksKey = (app: string) => `{parley}:peaks:${app}`

/** A node that has not reported for this long no longer counts. */
export const nodeTtlMS = 10_000
/** Nodes report three times per nodeTtlMS. Peaks skip a late node: its clients may have reconnected elsewhere. */
export const heardWithinMS = nodeTtlMS / 2

/** Defines `live`, which returns the totals of all live nodes, and of those that reported in time. */
const liveNodes = `
local now = redis.call('TIME')
local nowMS = now[1] * 1000 + math.floor(now[2] / 1000)
local function live()
  local total, heard = 0, 0
  local counts = redis.call('HGETALL', KEYS[2])
  for i = 1, #counts, 2 do
    local alive = redis.call('ZSCORE', KEYS[1], counts[i])
    if alive and tonumber(alive) > nowMS then
      total = total + tonumber(counts[i + 1])
      if tonumber(alive) > nowMS + ${nodeTtlMS - heardWithinMS} then heard = heard + tonumber(counts[i + 1]) end
    else
      redis.call('HDEL', KEYS[2], counts[i])
    end
  end
  return total, heard
end
`

/** Connections that closed since the last report were open during the minute, so they count towards its peak. */
const reportScript = `${liveNodes}
local _, before = live()
redis.call('ZADD', KEYS[1], nowMS + ARGV[3], ARGV[1])
if ARGV[2] == '0' then redis.call('HDEL', KEYS[2], ARGV[1]) else redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) end
local _, heard = live()
local minute = math.floor(now[1] / 60)
local peak = math.max(before, heard, tonumber(redis.call('HGET', KEYS[3], minute) or 0))
redis.call('HSET', KEYS[3], minute, peak)
redis.call('EXPIRE', KEYS[3], 86400)
return { heard, minute, peak }
`

const raiseScript = `
for i = 1, #ARGV, 2 do
  local peak = redis.call('HGET', KEYS[1], ARGV[i])
  if not peak or tonumber(peak) < tonumber(ARGV[i + 1]) then redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
end
redis.call('EXPIRE', KEYS[1], 86400)
`

const countScript = `${liveNodes}
local total = live()
return total
`

export interface Reported {
  /** The connections of all nodes that reported in time. */
  heard: number
  /** The minute of the report (minutes since 1970, by Redis's clock). */
  minute: number
  /** The highest total of this minute so far. */
  peak: number
}

/** Reports this node's current number of authenticated connections of an app. */
export async function reportConnections(
  presence: Presence,
  node: string,
  app: string,
  count: number,
): Promise<Reported> {
  const keys = [nodesKey, connectionsKey(app), peaksKey(app)]
  const reply = await presence.redis.eval(reportScript, keys.length, ...keys, node, count, nodeTtlMS)
  const [heard, minute, peak] = reply as [number, number, number]
  return { heard, minute, peak }
}

/** Raises the peaks of minutes (minutes since 1970) in Redis, which may have lost or missed them. */
export async function raisePeaks(presence: Presence, app: string, peaks: ReadonlyMap<number, number>): Promise<void> {
  if (peaks.size > 0) await presence.redis.eval(raiseScript, 1, peaksKey(app), ...[...peaks].flat())
}

export async function countConnections(presence: Presence, app: string): Promise<number> {
  return Number(await presence.redis.eval(countScript, 2, nodesKey, connectionsKey(app)))
}

/**
 * Deletes the reports of a dead process with the same node name: its connections would count until this process stops.
 */
export async function forgetConnections({ redis }: Presence, node: string): Promise<void> {
  const scan = redis.scanStream({ match: connectionsKey('*'), count: 5_000 }) as AsyncIterable<string[]>
  for await (const keys of scan) await Promise.all(keys.map((apps) => redis.hdel(apps, node)))
}

/** Deletes the peaks of minutes that are stored elsewhere. */
export async function forgetPeaks(presence: Presence, app: string, minutes: readonly number[]): Promise<void> {
  if (minutes.length > 0) await presence.redis.hdel(peaksKey(app), ...minutes.map(String))
}

/**
 * The stored peaks per minute (minutes since 1970).
 * @param madeAt creation time of the app; older peaks belong to an earlier app with the same ID
 */
export async function readPeaks(presence: Presence, app: string, madeAt: Date): Promise<Map<number, number>> {
  const firstMinute = Math.floor(madeAt.getTime() / 60_000)
  const peaks = await presence.redis.hgetall(peaksKey(app))
  const all = Object.entries(peaks).map(([minute, peak]) => [Number(minute), Number(peak)] as const)
  return new Map(all.filter(([minute]) => minute >= firstMinute))
}

export async function countConnectionsByNode({ redis }: Presence, app: string): Promise<Map<string, number>> {
  const nowMS = await redisTimeMS(redis)
  const [counts, alive] = await Promise.all([
    redis.hgetall(connectionsKey(app)),
    redis.zrange(nodesKey, `(${nowMS}`, '+inf', 'BYSCORE'),
  ])
  const live = new Set(alive)
  return new Map(
    Object.entries(counts).flatMap(([node, count]) => (live.has(node) ? [[node, Number(count)] as const] : [])),
  )
}

async function redisTimeMS(redis: Presence['redis']): Promise<number> {
  const [seconds = 0, microseconds = 0] = await redis.time()
  return seconds * 1_000 + Math.floor(microseconds / 1_000)
}
