import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { call, eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'

describe("the gateway's log line of a request", () => {
  let platform: Platform
  let gateway: RunningService
  beforeAll(async () => {
    platform = await startPlatform()
    gateway = await platform.start('api-gateway')
  })
  afterAll(() => platform.stop())

  const lineOf = (route: string) =>
    eventually(`a line of ${route}`, () =>
      readFileSync(gateway.logFile, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .find((line) => line['msg'] === 'request' && line['route'] === route),
    )

  test('has the app, and the error code if any', async () => {
    const headers = { 'im-api-key': platform.apiKey }
    await call(gateway.url, 'GET', '/admin/groups', headers)
    assert.partialDeepStrictEqual(await lineOf('/admin/groups'), { app: platform.app, method: 'GET', status: 200 })
    assert.equal('code' in (await lineOf('/admin/groups')), false)

    await call(gateway.url, 'DELETE', '/config/none', headers)
    const expected = { app: platform.app, method: 'DELETE', status: 404, code: 'CONFIG_NOT_FOUND' }
    assert.partialDeepStrictEqual(await lineOf('/config/:key'), expected)
  })

  test('has the error code and no app for an unauthenticated caller', async () => {
    await call(gateway.url, 'GET', '/me', {})
    const line = await lineOf('/me')
    assert.partialDeepStrictEqual(line, { status: 401, code: 'INVALID_CLIENT_KEY' })
    assert.equal('app' in line, false)
  })
})
