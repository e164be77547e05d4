import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, test } from 'vitest'
import { type StallingProxy, startStallingProxy } from '../doubles/stalling-proxy.ts'
import { call, type Platform, startPlatform } from '../platform.ts'

let platform: Platform
let proxy: StallingProxy
beforeAll(async () => {
  platform = await startPlatform()
  const { hostname: host, port } = new URL(platform.servers.redisUrl)
  proxy = await startStallingProxy({ host, port: Number(port) })
})
afterAll(async () => {
  await platform.stop()
  await proxy.stop()
})

test('while Redis hangs, a gateway answers 503 for counts, serves everything else, and stops cleanly', async () => {
  const url = new URL(platform.servers.redisUrl)
  url.port = `${proxy.port}`
  const gateway = await platform.start('api-gateway', { PARLEY_REDIS_URL: url.href })
  const alice = await platform.newUser()
  proxy.stall()
  const paths = ['/admin/overview', '/admin/connection-count', '/admin/stats']
  const read = (path: string) => call(gateway.url, 'GET', path, { 'im-api-key': platform.apiKey })
  const answers = await Promise.all(paths.map(read))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [503, 503, 503],
  )
  await platform.newRoom([alice.id])
  await gateway.stop()
  assert.doesNotMatch(readFileSync(gateway.logFile, 'utf8'), /uncaught error|did not stop cleanly/)
})
