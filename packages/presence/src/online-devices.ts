import type { Presence } from './connect.ts'
import { nodesKey, nodeTtlMS } from './connection-counts.ts'

/**
 * Which devices are connected now, over all realtime nodes.
 *
 * Keys: `{parley}:online:<node>` hash of app NUL user → JSON list of the devices that this node holds, and the field
 * '' that says the node has spoken. It expires by itself when the node dies: the node lengthens its life regularly,
 * whatever the number of its sockets. A connect or disconnect is one write, of all that holds for the user now, so a
 * repeated write does no harm. `{parley}:nodes` names the nodes to ask.
 */
const onlineKey = (node: string) => `{parley}:online:${node}`
const userField = (app: string, user: string) => `${app}\0${user}`
const spoken = ''
const usersPerWrite = 1_000

/** Answers how many fields the node's hash has: other than expected, and Redis does not know what the node said. */
const stayScript = `
local now = redis.call('TIME')
local nowMS = now[1] * 1000 + math.floor(now[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', nowMS - 60000)
redis.call('ZADD', KEYS[1], nowMS + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return redis.call('HLEN', KEYS[2])
`

/** The writing side, on a realtime node. */
export interface OnlineDevices {
  /** These are the devices of the user that this node holds from now on; none: the user is gone from here. */
  changed(app: string, user: string, devices: ReadonlySet<string>): void
  /** Settles when Redis has been told everything that was said, or was away. */
  idle(): Promise<void>
  /** Takes back everything that this node said. */
  stop(): Promise<void>
}

/**
 * Keeps Redis told of the devices connected to a node. When Redis was away or lost its memory, everything is said
 * again: at once on a new connection to it, else with the next regular look.
 */
export async function announceDevices(
  presence: Presence,
  node: string,
  onError: (error: Error) => void,
): Promise<OnlineDevices> {
  const { redis } = presence
  const current = new Map<string, string>()
  const underWay = new Set<Promise<unknown>>()
  let isBehind = false

  function write(work: Promise<unknown>): void {
    const settled = work
      .catch((error: Error) => {
        isBehind = true
        onError(error)
      })
      .finally(() => underWay.delete(settled))
    underWay.add(settled)
  }

  async function sayEverything(): Promise<void> {
    isBehind = false
    const fields = [...current].flat()
    const transaction = redis.multi().del(onlineKey(node)).hset(onlineKey(node), spoken, '1')
    for (let i = 0; i < fields.length; i += 2 * usersPerWrite) {
      transaction.hset(onlineKey(node), ...fields.slice(i, i + 2 * usersPerWrite))
    }
    await transaction.exec()
    await stay()
  }

  async function stay(): Promise<number> {
    return Number(await redis.eval(stayScript, 2, nodesKey, onlineKey(node), node, nodeTtlMS))
  }

  async function look(): Promise<void> {
    // Redis carries out a connection's commands in their order: it has everything that was said before this.
    const expected = current.size + 1
    if (isBehind || (await stay()) !== expected) await sayEverything()
  }

  const timer = setInterval(() => write(look()), nodeTtlMS / 3)
  const onReady = () => write(sayEverything())
  redis.on('ready', onReady)
  await sayEverything()

  return {
    changed(app, user, devices) {
      const field = userField(app, user)
      const json = JSON.stringify([...devices])
      if (devices.size === 0) current.delete(field)
      else current.set(field, json)
      write(devices.size === 0 ? redis.hdel(onlineKey(node), field) : redis.hset(onlineKey(node), field, json))
    },
    async idle() {
      await Promise.all(underWay)
    },
    async stop() {
      clearInterval(timer)
      redis.off('ready', onReady)
      await Promise.all(underWay)
      await redis.del(onlineKey(node))
    },
  }
}

/** Everybody who is connected now, in pages; who is on two nodes comes twice. */
export async function* pageOnlineUsers(presence: Presence): AsyncGenerator<{ app: string; user: string }[]> {
  for (const node of await presence.redis.zrange(nodesKey, '0', '-1')) {
    for (let cursor = '0'; ; ) {
      const [next, fields] = await presence.redis.hscan(onlineKey(node), cursor, 'COUNT', usersPerWrite)
      const names = fields.filter((_, i) => i % 2 === 0).filter((name) => name !== spoken)
      if (names.length > 0) {
        yield names.map((name) => {
          const [app = '', user = ''] = name.split('\0')
          return { app, user }
        })
      }
      if (next === '0') break
      cursor = next
    }
  }
}

/** What Redis knows is not everything: it, or a node, was away, and the node has not said yet whom it holds. */
export class PresenceIncomplete extends Error {
  override name = 'PresenceIncomplete'
}

/**
 * The devices connected now of those of the users who are connected at all. One round trip for many users.
 * @param alive nodes known to be alive by other means; what they hold must be known too
 * @throws PresenceIncomplete when one of `alive` has not spoken, and what the client says when Redis is away
 */
export async function findOnlineDevices(
  presence: Presence,
  app: string,
  users: readonly string[],
  alive: readonly string[] = [],
): Promise<Map<string, Set<string>>> {
  const online = new Map<string, Set<string>>()
  if (users.length === 0) return online
  const nodes = new Set([...(await presence.redis.zrange(nodesKey, '0', '-1')), ...alive])
  const fields = [spoken, ...users.map((user) => userField(app, user))]
  await Promise.all(
    [...nodes].map(async (node) => {
      const [hasSpoken, ...held] = await presence.redis.hmget(onlineKey(node), ...fields)
      if (hasSpoken === null && alive.includes(node)) throw new PresenceIncomplete(`${node} has not said whom it holds`)
      held.forEach((json, i) => {
        if (json === null) return
        const user = users[i] as string
        const devices: string[] = JSON.parse(json)
        online.set(user, new Set([...(online.get(user) ?? []), ...devices]))
      })
    }),
  )
  return online
}
