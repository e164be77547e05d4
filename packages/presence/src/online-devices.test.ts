import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterAll, beforeAll, describe, onTestFinished, test, vi } from 'vitest'
import { announceDevices, type OnlineDevices } from './announce-devices.ts'
import { closePresence, connectPresence, type Presence } from './connect.ts'
import { nodeTtlMS } from './connection-counts.ts'
import { onlineKey, untilReported } from './node-reports.ts'
import { findNodesWithout, findOnlineDevices, PresenceIncomplete } from './online-devices.ts'

/** Connected devices that are not away. */
const active = (devices: string[]) => new Map(devices.map((device) => [device, undefined]))

const fail = (error: Error) => {
  throw error
}

describe('online devices', () => {
  let servers: Servers
  let presence: Presence
  let node: string
  let online: OnlineDevices

  beforeAll(async () => {
    servers = await isolatedServers(['redis'])
    presence = await connectPresence(servers.redisUrl, () => undefined)
    node = randomUUID()
    online = await announceDevices(presence, node, () => undefined)
  })
  afterAll(async () => {
    await online.stop()
    await closePresence(presence)
    await servers.stop()
  })

  test('calls wait once for a node that Redis lacks, and again after it has reported', async () => {
    const late = randomUUID()
    const tries = vi.spyOn(presence.redis, 'hexists')
    onTestFinished(() => tries.mockRestore())
    const triesOf = async (maxWaitMS?: number) => {
      tries.mockClear()
      await untilReported(presence, [node, late], maxWaitMS)
      return tries.mock.calls.filter(([key]) => String(key).includes(late)).length
    }
    assert.ok((await triesOf(150)) > 1)
    assert.equal(await triesOf(), 1)
    const reports = await announceDevices(presence, late, fail)
    assert.equal(await triesOf(), 1)
    await presence.redis.del(onlineKey(late))
    assert.ok((await triesOf(150)) > 1)
    await reports.stop()
  })

  test('findNodesWithout returns only nodes that have reported', async () => {
    const app = randomUUID()
    const [first, second] = [randomUUID(), randomUUID()]
    const holds = await announceDevices(presence, first, fail)
    const other = await announceDevices(presence, second, fail)
    holds.changed(app, 'alice', new Set(['phone']))
    assert.equal(await holds.reported(), true)
    const without = (...users: string[]) => findNodesWithout(presence, [first, second, 'unknown'], app, users)
    assert.deepEqual(await without('alice', 'bob'), new Set([second]))
    assert.deepEqual(await without('bob'), new Set([first, second]))
    holds.changed(app, 'alice', new Set())
    await holds.reported()
    assert.deepEqual(await without('alice'), new Set([first, second]))
    await Promise.all([holds.stop(), other.stop()])
  })

  test('are found for many users across all nodes; users without devices are omitted', async () => {
    const other = await announceDevices(presence, randomUUID(), fail)
    online.changed('a.p*p', 'al ice>😀', new Set(['phone', 'desk top']))
    other.changed('a.p*p', 'al ice>😀', new Set(['watch']))
    other.changed('a.p*p', 'bob', new Set(['bob’s']))
    online.changed('another', 'carol', new Set(['c']))
    await Promise.all([online.drained(), other.drained()])
    assert.deepEqual(
      await findOnlineDevices(presence, 'a.p*p', ['al ice>😀', 'bob', 'carol']),
      new Map([
        ['al ice>😀', active(['phone', 'desk top', 'watch'])],
        ['bob', active(['bob’s'])],
      ]),
    )
    await other.stop()
    assert.deepEqual(await findOnlineDevices(presence, 'a.p*p', ['bob']), new Map())
  })

  test('exclude a device that disconnected', async () => {
    online.changed('app', 'dave', new Set(['one', 'two']))
    online.changed('app', 'dave', new Set(['two']))
    await online.drained()
    assert.deepEqual(await findOnlineDevices(presence, 'app', ['dave']), new Map([['dave', active(['two'])]]))
    online.changed('app', 'dave', new Set())
    await online.drained()
    assert.deepEqual(await findOnlineDevices(presence, 'app', ['dave']), new Map())
  })

  test('a stopped node has no users, even while other nodes consider it alive', async () => {
    const stopped = randomUUID()
    const stopping = await announceDevices(presence, stopped, fail)
    stopping.changed('app', 'hugo', new Set(['h']))
    await stopping.reported()
    await stopping.stop()
    assert.deepEqual(await findOnlineDevices(presence, 'app', ['hugo'], [stopped]), new Map())
  })

  test("a change during a node's full report wins", async () => {
    online.changed('app', 'gina', new Set(['one']))
    // The write stays in ioredis's pipeline until the end of this turn.
    await nextTurn()
    online.changed('app', 'gina', new Set(['two']))
    presence.redis.emit('ready')
    await online.reported()
    await online.drained()
    assert.deepEqual(await findOnlineDevices(presence, 'app', ['gina']), new Map([['gina', active(['two'])]]))
  })

  test("a node's report expires when its heartbeat stops", async () => {
    online.changed('app', 'erin', new Set(['e']))
    await online.drained()
    const left = await presence.redis.pttl(`{parley}:online:${node}`)
    assert.ok(left > 0 && left <= nodeTtlMS, `${left} ms left`)
  })

  test('PresenceIncomplete is thrown if a live node has not reported', async () => {
    await assert.rejects(findOnlineDevices(presence, 'app', ['erin'], ['somebody']), PresenceIncomplete)
    assert.ok((await findOnlineDevices(presence, 'app', ['erin'], [node])).has('erin'))
  })

  test('are all reported again after a restart of Redis', async () => {
    await servers.redis.kill()
    online.changed('app', 'frank', new Set(['f']))
    await online.drained()
    await servers.redis.restart()
    const deadline = Date.now() + 100_000
    for (;;) {
      const found = await findOnlineDevices(presence, 'app', ['erin', 'frank'], [node]).catch(() => new Map())
      if (found.size === 2) break
      assert.ok(Date.now() < deadline, 'not reported again')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })
})
