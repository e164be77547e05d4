import assert from 'node:assert/strict'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Bus, closeBus, connectBus } from './connect.ts'

test('a list of servers may leave the scheme out from the second on', async () => {
  const servers = await isolatedServers()
  const { username, password, host } = new URL(servers.natsUrl)
  // On the first port nothing listens.
  const bus = await connectBus(`nats://${username}:${password}@127.0.0.1:1,${host}`, 'list')
  assert.equal(bus.nats.getServer(), host)
  await closeBus(bus)
  await servers.stop()
})

describe('two users of a NATS server in accounts of their own', () => {
  let servers: Servers[]
  let buses: Bus[]
  beforeAll(async () => {
    servers = [await isolatedServers(), await isolatedServers()]
    buses = await Promise.all(servers.map(({ natsUrl }) => connectBus(natsUrl, 'account')))
  })
  afterAll(async () => {
    await Promise.all(buses.map(closeBus))
    await Promise.all(servers.map((each) => each.stop()))
  })

  test('hear nothing of each other: who a URL names is who connects', async () => {
    const heard: string[][] = [[], []]
    for (const [i, { nats }] of buses.entries()) {
      nats.subscribe('subject', { callback: (_error, message) => void heard[i]?.push(message.string()) })
      await nats.flush()
    }
    for (const [i, { nats }] of buses.entries()) {
      nats.publish('subject', String(i))
      // Subscriptions of one connection are served in order: after this round trip it has heard what there was.
      await nats.flush()
    }
    assert.deepEqual(heard, [['0'], ['1']])
  })
})
