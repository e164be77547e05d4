import { inParts } from '@parley/async/in-parts'
import type { Presence } from './connect.ts'
import { nodesKey, nodeTtlMS } from './connection-counts.ts'
import { execAll } from './exec-all.ts'

/**
 * Connected devices over all realtime nodes.
 *
 * Keys: `{parley}:online:<node>`, hash of app NUL user → JSON list of HeldDevice. The field '' marks that the node has
 * reported. Only the node extends the hash's expiry, so it expires when the node dies. Connects and disconnects of one
 * event loop turn are one write of the users' full state, so repeated writes are harmless. `{parley}:nodes` lists the
 * nodes to query.
 */
export const onlineKey = (node: string) => `{parley}:online:${node}`

export const userField = (app: string, user: string) => `${app}\0${user}`

export const spoken = ''

/** A connected device in a node's report, with the time since when it is away, if it is. */
export type HeldDevice = string | [device: string, awaySinceMS: number]

export const usersPerWrite = 1_000

/** Returns the number of fields in the node's hash. If it is not as expected, Redis has lost reports. */
const stayScript = `
local now = redis.call('TIME')
local nowMS = now[1] * 1000 + math.floor(now[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', nowMS - 60000)
redis.call('ZADD', KEYS[1], nowMS + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return redis.call('HLEN', KEYS[2])
`

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}

/** Writes fields of `current`, and deletes those that it does not have. */
export function writeFields(
  redis: Presence['redis'],
  node: string,
  current: ReadonlyMap<string, string>,
  fields: readonly string[],
): Promise<unknown>[] {
  const writes: Promise<unknown>[] = []
  for (const part of inParts(fields, usersPerWrite)) {
    const [held, gone] = partition(part, (field) => current.has(field))
    if (held.length > 0) {
      writes.push(redis.hset(onlineKey(node), ...held.flatMap((field) => [field, current.get(field) as string])))
    }
    if (gone.length > 0) writes.push(redis.hdel(onlineKey(node), ...gone))
  }
  return writes
}

/** Replaces the node's whole report. */
export async function writeAll(
  redis: Presence['redis'],
  node: string,
  current: ReadonlyMap<string, string>,
): Promise<void> {
  const transaction = redis.multi().del(onlineKey(node)).hset(onlineKey(node), spoken, '1')
  for (const part of inParts([...current], usersPerWrite)) transaction.hset(onlineKey(node), ...part.flat())
  await execAll(transaction)
  await stay(redis, node)
}

/** Extends the expiry of the node's report. Returns the number of fields in Redis. */
export async function stay(redis: Presence['redis'], node: string): Promise<number> {
  return Number(await redis.eval(stayScript, 2, nodesKey, onlineKey(node), node, nodeTtlMS))
}
