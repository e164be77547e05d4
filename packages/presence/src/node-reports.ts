import { setTimeout as pause } from 'node:timers/promises'
import { inParts } from '@parley/async/in-parts'
import type { Presence } from './connect.ts'
import { heardWithinMS, nodesKey, nodeTtlMS } from './connection-counts.ts'
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

export const reportedField = ''

/** A connected device in a node's report, with the time since when it is away, if it is. */
export type HeldDevice = string | [device: string, awaySinceMS: number]

export const usersPerWrite = 1_000

/** Returns the number of fields in the node's hash. If it is not as expected, Redis has lost reports. */
const extendScript = `
local now = redis.call('TIME')
local nowMS = now[1] * 1000 + math.floor(now[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', nowMS - 60000)
redis.call('ZADD', KEYS[1], nowMS + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return redis.call('HLEN', KEYS[2])
`

/** Writes fields of `current`, and deletes those that it does not have. */
export function writeFields(
  redis: Presence['redis'],
  node: string,
  current: ReadonlyMap<string, string>,
  fields: readonly string[],
): Promise<unknown>[] {
  const writes: Promise<unknown>[] = []
  for (const part of inParts(fields, usersPerWrite)) {
    const held = part.filter((field) => current.has(field))
    const gone = part.filter((field) => !current.has(field))
    if (held.length > 0) {
      writes.push(redis.hset(onlineKey(node), ...held.flatMap((field) => [field, current.get(field) as string])))
    }
    if (gone.length > 0) writes.push(redis.hdel(onlineKey(node), ...gone))
  }
  return writes
}

export async function writeAll(
  redis: Presence['redis'],
  node: string,
  current: ReadonlyMap<string, string>,
): Promise<void> {
  const transaction = redis.multi().del(onlineKey(node)).hset(onlineKey(node), reportedField, '1')
  for (const part of inParts([...current], usersPerWrite)) transaction.hset(onlineKey(node), ...part.flat())
  await execAll(transaction)
  await extendReport(redis, node)
}

/** Extends the expiry of the node's report. Returns the number of fields in Redis. */
export async function extendReport(redis: Presence['redis'], node: string): Promise<number> {
  return Number(await redis.eval(extendScript, 2, nodesKey, onlineKey(node), node, nodeTtlMS))
}

const recheckMS = 100

/**
 * Settles once Redis, which may have lost its data, has the reports of these nodes. Calls wait for a node only for the time
 * that it takes to notice the loss: it may be cut off from Redis.
 */
export async function untilReported(
  { redis, awaitedNodes }: Presence,
  nodes: readonly string[],
  maxWaitMS = heardWithinMS,
): Promise<void> {
  for (const node of awaitedNodes.keys()) if (!nodes.includes(node)) awaitedNodes.delete(node)
  await Promise.all(
    nodes.map(async (node) => {
      while ((await redis.hexists(onlineKey(node), reportedField)) === 0) {
        const untilMS = awaitedNodes.get(node) ?? performance.now() + maxWaitMS
        awaitedNodes.set(node, untilMS)
        if (performance.now() >= untilMS) return
        await pause(recheckMS)
      }
      awaitedNodes.delete(node)
    }),
  )
}

/** A user's devices in the report of one node. */
interface DevicesOnNode {
  user: string
  held: HeldDevice[]
}

/**
 * Reads the users' devices from the reports of all nodes. Two round trips, with one command per node and 1,000 users.
 * @param alive nodes known to be alive by other means; `silent` are those among them that have not reported
 */
export async function readReports(
  { redis }: Presence,
  app: string,
  users: readonly string[],
  alive: readonly string[],
): Promise<{ reports: DevicesOnNode[]; silent: Set<string> }> {
  if (users.length === 0) return { reports: [], silent: new Set() }
  const nodes = new Set([...(await redis.zrange(nodesKey, '0', '-1')), ...alive])
  const silent = new Set<string>()
  const reports = await Promise.all(
    [...nodes].flatMap((node) =>
      inParts(users, usersPerWrite).map(async (part) => {
        const fields = [reportedField, ...part.map((user) => userField(app, user))]
        const [hasReported, ...found] = await redis.hmget(onlineKey(node), ...fields)
        if (hasReported === null && alive.includes(node)) silent.add(node)
        return part.flatMap((user, i): DevicesOnNode[] => {
          const json = found[i] ?? null
          return json === null ? [] : [{ user, held: JSON.parse(json) as HeldDevice[] }]
        })
      }),
    ),
  )
  return { reports: reports.flat(), silent }
}
