import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

describe('X-Request-ID', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  const requestId = async (given?: string, path = '/me') => {
    const headers: Record<string, string> = given === undefined ? {} : { 'x-request-id': given }
    return (await gateway.anonymous('GET', path, undefined, headers)).headers.get('x-request-id')
  }

  test("every response has one: the caller's, if it is well-formed and short", async () => {
    for (const fit of ['abc', '0192f1d8-7a3c-7b2e-9f0a-2b7c1d9e4f55', 'a.b_c-1', 'x'.repeat(128)]) {
      assert.equal(await requestId(fit), fit)
    }
    for (const path of ['/me', '/no/such/path', '/config/%zz', '/openapi.json']) {
      assert.match((await requestId(undefined, path)) ?? '', /^[0-9a-f-]{36}$/, path)
    }
  })

  const trace = '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331'
  for (const unfit of ['x'.repeat(129), 'a b', 'a,b', 'ü', '<script>', '$x', trace, `abc:${trace}`]) {
    test(`${unfit.slice(0, 60)} is replaced`, async () => {
      const id = await requestId(unfit)
      assert.match(id ?? '', /^[0-9a-f-]{36}$/)
      assert.notEqual(id, unfit)
    })
  }
})
