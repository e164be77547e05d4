import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Front, openFront } from '@parley/local/front'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Platform, startPlatform } from '../platform.ts'

const MiB = 1024 * 1024

describe("the front of npm start forwards the gateway's response", () => {
  let platform: Platform
  let front: Front
  beforeAll(async () => {
    platform = await startPlatform()
    const gateway = await platform.start('api-gateway')
    front = await openFront('127.0.0.1', 0)
    front.balance({ gateways: [Number(new URL(gateway.url).port)], realtime: [] })
  })
  afterAll(async () => {
    await front?.close()
    await platform.stop()
  })

  for (const [what, size, key, status] of [
    ['a body over 1 MiB', 1.5 * MiB, true, 413],
    ['a body of 24 MiB', 24 * MiB, true, 413],
    ['a large body without a key', 8 * MiB, false, 401],
  ] as const) {
    test(`${what} gets ${status}, and the next call on the connection works`, async () => {
      const socket = connect(front.port, '127.0.0.1')
      const answers = statusLines(socket)
      const head = (method: string, path: string, more: string) =>
        `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${more}\r\n`
      const apiKey = `im-api-key: ${platform.apiKey}\r\n`
      for (let i = 0; i < 3; i++) {
        // Simulate a client that reads only after it has sent everything.
        socket.pause()
        const length = `content-type: application/json\r\ncontent-length: ${size}\r\n`
        const whole = head('POST', '/messages', (key ? apiKey : '') + length) + ' '.repeat(size)
        await new Promise((resolve) => socket.write(whole, resolve))
        socket.resume()
        assert.equal((await answers.next()).value, `HTTP/1.1 ${status}`)
        socket.write(head('GET', '/config', apiKey))
        assert.equal((await answers.next()).value, 'HTTP/1.1 200')
      }
      socket.destroy()
    })
  }

  const chunked = 'POST /messages HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n'
  for (const [what, request, status, code] of [
    ['that is not HTTP', 'nonsense\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['without Host', 'GET /config HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'INVALID_REQUEST'],
    [
      'with two Hosts',
      'GET /config HTTP/1.1\r\nhost: a\r\nHost: b\r\nconnection: close\r\n\r\n',
      400,
      'INVALID_REQUEST',
    ],
    ['for a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['with a broken chunk', `${chunked}content-type: application/json\r\n\r\nzz\r\n`, 400, 'INVALID_REQUEST'],
    ['with 40 KiB of headers', `${chunked}x: ${'x'.repeat(40_960)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
  ] as const) {
    test(`a request ${what} gets the error envelope with CORS headers`, async () => {
      const socket = connect(front.port, '127.0.0.1')
      socket.write(request)
      const answer = await text(socket)
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `))
      assert.match(answer, /access-control-allow-origin: \*/)
      assert.equal(JSON.parse(/\{.*\}/s.exec(answer)?.[0] ?? '').error.code, code)
    })
  }
})

/** The status line of each response. No body contains such a line. */
async function* statusLines(socket: Socket): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of socket) {
    rest += String(chunk)
    for (let found = /HTTP\/1\.1 \d{3}/.exec(rest); found; found = /HTTP\/1\.1 \d{3}/.exec(rest)) {
      rest = rest.slice(found.index + found[0].length)
      yield found[0]
    }
  }
}
