import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startTestGateway, type TestGateway } from './test-gateway.ts'

suite('the web chat page', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startTestGateway()
  })
  after(() => gateway.stop())

  test('GET /chat with a token is a page whose every file is there, and that runs nothing but its own', async () => {
    const answer = await fetch(`${gateway.url}/chat?token=x`)
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'self'/)
    const html = await answer.text()
    assert.doesNotMatch(html, /<script(?! src="\/chat\/)/)
    const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file)
    assert.deepEqual(files, ['/chat/chat.css', '/chat/socket.io.min.js', '/chat/chat.js'])
    for (const file of files) {
      const { status, headers } = await fetch(gateway.url + file)
      assert.equal(status, 200, file)
      assert.match(headers.get('content-type') ?? '', file?.endsWith('.css') ? /^text\/css/ : /javascript/)
    }
    for (const other of ['/chat/package.json', '/chat/..%2fpackage.json', '/chat/index.html']) {
      assert.equal((await fetch(gateway.url + other)).status, 404, other)
    }
  })
})
