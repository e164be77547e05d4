import assert from 'node:assert/strict'
import { corsRequestHeaders } from '@parley/contracts/cors'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Platform, type RunningService, startPlatform } from '../platform.ts'

describe('browser apps on any origin can use long-polling', () => {
  let platform: Platform
  let node: RunningService
  beforeAll(async () => {
    platform = await startPlatform()
    node = await platform.start('realtime')
  })
  afterAll(() => platform.stop())

  const poll = (query: string, method = 'GET', headers: Record<string, string> = {}) =>
    fetch(`${node.url}/socket.io/?${query}`, { method, headers: { origin: 'https://app.example', ...headers } })

  test('a preflight allows every request header that the API reads', async () => {
    const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'im-client-key' }
    const { status, headers } = await poll('EIO=4&transport=polling', 'OPTIONS', asked)
    assert.equal(status, 204)
    assert.equal(headers.get('access-control-allow-origin'), '*')
    assert.deepEqual(headers.get('access-control-allow-methods')?.split(', '), ['GET', 'POST'])
    assert.deepEqual(headers.get('access-control-allow-headers')?.split(', '), corsRequestHeaders)
  })

  test('a poll can have as many cookies as a gateway accepts', async () => {
    const { status } = await poll('EIO=4&transport=polling', 'GET', { cookie: `all=${'x'.repeat(30_000)}` })
    assert.equal(status, 200)
  })

  for (const [what, query, status] of [
    ['an answer', 'EIO=4&transport=polling', 200],
    ['the refusal of an unknown session', 'EIO=4&transport=polling&sid=none', 400],
  ] as const) {
    test(`${what} is readable, with Retry-After`, async () => {
      const answer = await poll(query)
      assert.equal(answer.status, status)
      assert.equal(answer.headers.get('access-control-allow-origin'), '*')
      assert.match(answer.headers.get('access-control-expose-headers') ?? '', /Retry-After/)
    })
  }
})
