import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

describe('a gateway whose event loop does not keep up', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway({ maxLoopDelayMS: 200 })
  })
  afterAll(() => gateway.stop())

  test('refuses requests with 503 and Retry-After, and takes them again when it does', async () => {
    const ask = async () => gateway.admin('GET', '/admin/groups')
    let answer = await ask()
    while (answer.status !== 503) {
      for (const untilMS = Date.now() + 2_000; Date.now() < untilMS; );
      answer = await ask()
    }
    assert.deepEqual([answer.body.RC, answer.body.error.code], [503, 'SERVICE_UNAVAILABLE'])
    assert.ok(Number(answer.headers.get('retry-after')) >= 1)
    while ((await ask()).status !== 200) await pause(20)
  })
})
