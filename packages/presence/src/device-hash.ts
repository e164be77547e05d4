import { inParts } from '@parley/async/in-parts'
import type { Presence } from './connect.ts'
import { nodesKey, nodeTtlMS } from './connection-counts.ts'

/**
 * Connected devices over all realtime nodes.
 *
 * Keys: `{parley}:online:<node>` is a hash of app NUL user → JSON list of HeldDevice; the field '' says that
 * the node has reported. It expires when the node dies, since only the node extends its life, at a cost independent of
 * its sockets. Connects and disconnects of one event loop turn are one write of the users' full state, so a repeated
 * write is harmless. `{parley}:nodes` lists the nodes to ask.
 */
export const onlineKey = (node: string) => `{parley}:online:${node}`

export const userField = (app: string, user: string) => `${app}\0${user}`

export const spoken = ''

/** A connected device in a node's report; with the time since when it is away. */
export type HeldDevice = string | [device: string, awaySinceMS: number]

export const usersPerWrite = 1_000

/** Returns how many fields the node's hash has: a number other than expected means that Redis lost the reports. */
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

/** Writes these fields: as `current` has them, and away with those that it does not have. */
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

/** Replaces all that Redis knows of the node. */
export async function writeAll(
  redis: Presence['redis'],
  node: string,
  current: ReadonlyMap<string, string>,
): Promise<void> {
  const transaction = redis.multi().del(onlineKey(node)).hset(onlineKey(node), spoken, '1')
  for (const part of inParts([...current], usersPerWrite)) transaction.hset(onlineKey(node), ...part.flat())
  for (const [error] of (await transaction.exec()) ?? []) if (error) throw error
  await stay(redis, node)
}

/** Extends the life of the node's report. Returns how many fields Redis has of it. */
export async function stay(redis: Presence['redis'], node: string): Promise<number> {
  return Number(await redis.eval(stayScript, 2, nodesKey, onlineKey(node), node, nodeTtlMS))
}
