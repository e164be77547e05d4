import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { type StallingProxy, startStallingProxy } from '../doubles/stalling-proxy.ts'
import { type Platform, startPlatform } from '../platform.ts'

let platform: Platform
let proxy: StallingProxy
beforeAll(async () => {
  platform = await startPlatform()
  const { hostname: host, port } = new URL(platform.servers.natsUrl)
  proxy = await startStallingProxy({ host, port: Number(port) })
})
afterAll(async () => {
  await platform.stop()
  await proxy.stop()
})

test('while NATS hangs, clients log in and watch presence as while it is away', async () => {
  const url = new URL(platform.servers.natsUrl)
  url.port = `${proxy.port}`
  const [, node] = await Promise.all([
    platform.start('api-gateway'),
    platform.start('realtime', { PARLEY_NATS_URL: url.href }),
  ])
  const [alice, bob] = [await platform.newUser(), await platform.newUser()]
  await platform.newRoom([alice.id, bob.id])
  const earlier = await platform.connect(node, alice)
  proxy.stall()
  const [watched, later] = await Promise.all([
    earlier.emitWithAck('presence subscribe', { clients: [bob.id] }),
    platform.connect(node, bob),
  ])
  assert.equal(watched.RC, 0, JSON.stringify(watched))
  assert.ok(earlier.connected && later.connected)
  for (const socket of [earlier, later]) socket.close()
})
