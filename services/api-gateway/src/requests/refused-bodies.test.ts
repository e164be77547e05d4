import assert from 'node:assert/strict'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { openConnection } from '../test-connection.ts'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

describe('a refused body is drained, and the next call on the connection works', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  const json = { 'content-type': 'application/json' }
  const MiB = 1024 * 1024

  for (const [what, path, withKey, status] of [
    ['too large', '/messages', true, 413],
    ['too large, on a bare endpoint', '/admin/clients', true, 413],
    ['unauthorised', '/messages', false, 401],
    ['on an unknown path', '/no/such/path', false, 404],
  ] as const) {
    for (const size of [1.5 * MiB, 24 * MiB]) {
      test(`${size / MiB} MiB, ${what}: ${status} to a client that sends all before it reads`, async () => {
        const connection = await openConnection(gateway.url)
        const key = withKey ? `im-api-key: ${gateway.apiKey}\r\n` : ''
        const head = `POST ${path} HTTP/1.1\r\nhost: x\r\n${key}content-type: application/json\r\ncontent-length: ${size}\r\n\r\n`
        connection.socket.pause()
        await new Promise((resolve) => connection.socket.write(head + ' '.repeat(size), resolve))
        connection.socket.resume()
        assert.equal((await connection.answer()).status, status)
        connection.write(`GET /config HTTP/1.1\r\nhost: x\r\nim-api-key: ${gateway.apiKey}\r\n\r\n`)
        assert.equal((await connection.answer()).status, 200)
        connection.socket.destroy()
      })
    }
  }

  for (const [what, body, status] of [
    ['malformed JSON', '{', 400],
    ['a body nested too deep', '['.repeat(10_000), 400],
    ['another content type', 'x', 415],
  ] as const) {
    test(`the connection stays open after ${what}`, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const sockets = new Set()
      for (let i = 0; i < 3; i++) {
        const headers = { 'im-api-key': gateway.apiKey, ...(status === 415 ? { 'content-type': 'a/b' } : json) }
        const answer = await new Promise<IncomingMessage>((resolve, reject) => {
          const call = request(`${gateway.url}/messages`, { method: 'POST', headers, agent }, resolve)
          call.on('socket', (socket) => sockets.add(socket)).on('error', reject)
          call.end(body)
        })
        assert.equal(answer.statusCode, status)
        await text(answer)
      }
      assert.equal(sockets.size, 1)
      agent.destroy()
    })
  }

  test('endless chunks are drained for a while, then the connection is closed', async () => {
    const connection = await openConnection(gateway.url)
    connection.write('POST /messages HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n')
    const chunk = `100000\r\n${' '.repeat(MiB)}\r\n`
    let sent = 0
    while (!connection.socket.destroyed && sent < 500) {
      await Promise.race([new Promise((resolve) => connection.socket.write(chunk, resolve)), connection.closed])
      // A write to a reset connection can return before the reset is seen.
      await setImmediate()
      sent++
    }
    await connection.closed
    assert.ok(sent > 60 && sent < 500, `${sent} MiB`)
  })
})
