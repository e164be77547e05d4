import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { closePresence, connectPresence, type Presence } from './connect.ts'
import { countConnections, nodesKey, readPeaks, reportConnections } from './connection-counts.ts'

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

  test('of a node whose reports are missing count until it is forgotten, and make no peak beside those that came back', async () => {
    const app = randomUUID()
    const [dying, other] = [randomUUID(), randomUUID()]
    assert.equal(await reportConnections(presence, dying, app, 3), 3)
    // It reported seven seconds ago.
    await presence.redis.zincrby(nodesKey, -7_000, dying)
    assert.equal(await reportConnections(presence, other, app, 2), 5)
    assert.equal(await countConnections(presence, app), 5)
    const peaks = await readPeaks(presence, app, new Date(0))
    assert.deepEqual(Math.max(...peaks.values()), 3)
    await reportConnections(presence, dying, app, 3)
    assert.equal(Math.max(...(await readPeaks(presence, app, new Date(0))).values()), 5)
  })
})
