import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

describe('Cache-Control', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  test('of the API is no-store, private: for results, errors, bare responses and unknown paths', async () => {
    const user = await gateway.newUser()
    const responses = [
      await user.call('GET', '/me'),
      await user.call('GET', '/rooms'),
      await gateway.admin('POST', '/admin/clients', { _id: 'a', issueAccessToken: true }),
      await gateway.admin('DELETE', '/admin/clients/a/token'),
      await gateway.anonymous('GET', '/me'),
      await gateway.anonymous('POST', '/messages', '{'),
      await gateway.anonymous('GET', '/nowhere'),
    ]
    for (const { headers } of responses) assert.equal(headers.get('cache-control'), 'no-store, private')
  })

  test('of chat page files differs', async () => {
    const html = await (await fetch(`${gateway.url}/chat`)).text()
    const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file)
    for (const file of files) {
      const header = (await fetch(new URL(file, `${gateway.url}/chat`))).headers.get('cache-control') ?? ''
      assert.match(header, /^public, max-age=/, file)
    }
  })
})
