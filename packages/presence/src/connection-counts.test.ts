import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { closePresence, connectPresence, isPresenceAway, type Presence } from './connect.ts'
import { countConnections, nodesKey, raisePeaks, readPeaks, reportConnections } from './connection-counts.ts'

describe('the connections of an app', () => {
  let servers: Servers
  let presence: Presence
  beforeAll(async () => {
    servers = await isolatedServers(['redis'])
    presence = await connectPresence(servers.redisUrl, () => undefined)
  })
  afterAll(async () => {
    await closePresence(presence)
    await servers.stop()
  })

  test('of a silent node count until it expires, and do not inflate the peak when they reconnect elsewhere', async () => {
    const app = randomUUID()
    const [dying, other] = [randomUUID(), randomUUID()]
    assert.equal((await reportConnections(presence, dying, app, 3)).heard, 3)
    // The dying node last reported seven seconds ago.
    await presence.redis.zincrby(nodesKey, -7_000, dying)
    assert.equal((await reportConnections(presence, other, app, 2)).heard, 2)
    assert.equal(await countConnections(presence, app), 5)
    const peaks = await readPeaks(presence, app, new Date(0))
    assert.deepEqual(Math.max(...peaks.values()), 3)
    await reportConnections(presence, dying, app, 3)
    assert.equal(Math.max(...(await readPeaks(presence, app, new Date(0))).values()), 5)
  })

  test('that close within a minute count towards its peak, even if they were opened earlier', async () => {
    const app = randomUUID()
    const [node, other] = [randomUUID(), randomUUID()]
    await reportConnections(presence, other, app, 1)
    await reportConnections(presence, node, app, 3)
    // As at the start of a new minute.
    await presence.redis.del(`{parley}:peaks:${app}`)
    assert.equal((await reportConnections(presence, node, app, 0)).peak, 4)
  })

  test('have the highest peak of a minute that any process reported', async () => {
    const app = randomUUID()
    const { minute } = await reportConnections(presence, randomUUID(), app, 3)
    await raisePeaks(
      presence,
      app,
      new Map([
        [minute, 2],
        [minute - 1, 7],
      ]),
    )
    assert.deepEqual(
      await readPeaks(presence, app, new Date(0)),
      new Map([
        [minute, 3],
        [minute - 1, 7],
      ]),
    )
    await raisePeaks(presence, app, new Map([[minute, 10]]))
    assert.equal((await readPeaks(presence, app, new Date(0))).get(minute), 10)
  })

  test('are unavailable, not failed, while the server is a replica', async () => {
    const { redis } = presence
    await redis.replicaof('127.0.0.1', '1')
    const back = once(redis, 'ready')
    const failed = await reportConnections(presence, randomUUID(), randomUUID(), 1).catch((error: unknown) => error)
    assert.equal(isPresenceAway(failed), true, String(failed))
    await back
    await redis.replicaof('NO', 'ONE')
  })
})
