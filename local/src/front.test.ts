import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage, request, type Server } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { listenOnLoopback } from '@parley/stack/loopback'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { type Front, openFront } from './front.ts'

describe('the front', () => {
  let front: Front
  let behind: Server
  let behindPort: number
  beforeAll(async () => {
    // Like uWebSockets.js: closes on request, without announcing it.
    behind = createServer((asked, response) => {
      response.setHeader('connection', 'keep-alive')
      if (asked.headers.connection === 'close') response.on('finish', () => setImmediate(() => asked.socket.end()))
      const chunks: Buffer[] = []
      asked.on('data', (chunk: Buffer) => chunks.push(chunk))
      asked.on('end', () => response.end(`${asked.method} ${asked.url} ${Buffer.concat(chunks).toString()};`))
    })
    const portSaid = ({ headers }: IncomingMessage) => `port ${String(headers['x-real-port'])}`
    behind.on('request', (asked, response) => response.setHeader('x-said', portSaid(asked)))
    behind.on('upgrade', (asked: IncomingMessage, socket) => {
      const head = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n'
      socket.end(`${head}x-said: ${portSaid(asked)}\r\n\r\n`)
    })
    behindPort = await listenOnLoopback(behind)
    front = await opened()
  })
  afterAll(async () => {
    await Promise.all(fronts.map((one) => one.close()))
    behind.close()
  })
  const fronts: Front[] = []
  async function opened(headMS?: number): Promise<Front> {
    const one = await openFront('127.0.0.1', 0, headMS)
    fronts.push(one)
    one.balance({ gateways: [behindPort], realtime: [behindPort] })
    return one
  }

  test('serves clients that close each connection, over its own kept-alive connections', async () => {
    const ask = (path: string) =>
      new Promise((resolve, reject) => {
        get({ port: front.port, path, agent: false }, (answer) => {
          answer.resume()
          answer.on('end', () => resolve(answer.statusCode))
        }).on('error', reject)
      })
    for (let i = 0; i < 50; i++) assert.equal(await ask(`/socket.io/?${i}`), 200)
    const together = await Promise.all(Array.from({ length: 50 }, (_, i) => ask(`/${i}`)))
    assert.deepEqual(new Set(together), new Set([200]))
  })

  /** Writes parts of requests on one connection, each after the expected response to the previous one. */
  async function converse(...steps: { say: string; until?: string }[]): Promise<string> {
    const socket = connect(front.port, '127.0.0.1')
    let heard = ''
    let isOver = false
    socket.on('data', (bytes) => (heard += bytes.toString()))
    socket.on('close', () => (isOver = true)).on('error', () => (isOver = true))
    for (const { say, until = '' } of steps) {
      socket.write(say)
      await vi.waitFor(() => assert.ok(heard.includes(until) || isOver), { timeout: 60_000 })
    }
    socket.destroy()
    return heard
  }
  const answersIn = (heard: string) => heard.match(/^[A-Z]+ \/\S* [^;]*;/gm)

  test('forwards the body of a DELETE of unknown length, and the next request on the connection', async () => {
    const chunked = 'Host: x\r\nTransfer-Encoding: chunked\r\n'
    const heard = await converse(
      { say: `DELETE /one HTTP/1.1\r\n${chunked}\r\n5\r\nhello\r\n0\r\n\r\n`, until: 'one hello;' },
      { say: `DELETE /two HTTP/1.1\r\n${chunked}Expect: 100-continue\r\n\r\n3\r\nyou\r\n0\r\n\r\n`, until: 'two you;' },
      { say: 'DELETE /three HTTP/1.1\r\nHost: x\r\nExpect: nonsense\r\n\r\n', until: 'three ;' },
    )
    assert.deepEqual(answersIn(heard), ['DELETE /one hello;', 'DELETE /two you;', 'DELETE /three ;'])
  })

  test('forwards every path unchanged', async () => {
    const paths = ['/\\[', '//[', '/socket.io/\\[', '/a/../%2e%2e/b', '/%zz?a=//b?c', '/|"']
    const asked = [...paths, 'http://a:99999/x', 'http://[', '*']
    const method = (path: string) => (path === '*' ? 'OPTIONS' : 'GET')
    const steps = asked.map((path) => ({ say: `${method(path)} ${path} HTTP/1.1\r\nHost: x\r\n\r\n` }))
    const heard = await converse(...steps, { say: 'GET /last HTTP/1.1\r\nHost: x\r\n\r\n', until: '/last ;' })
    assert.deepEqual(
      answersIn(heard)?.map((answer) => answer.replace(/^[A-Z]+ | ;$/g, '')),
      [...paths, ...['/x', '/', '/*', '/last']],
    )
  })

  test('refuses an API key from pages and host names elsewhere, and accepts the demo and its pages', async () => {
    const key = { 'im-api-key': 'demo-api-key' }
    const statusOf = async (headers: Record<string, string>) => {
      const asked = request({ port: front.port, method: 'POST', path: '/config', headers: { ...key, ...headers } })
      asked.end('{}')
      const [answer] = (await once(asked, 'response')) as [IncomingMessage]
      const body = await text(answer)
      if (answer.statusCode === 403) assert.equal(JSON.parse(body).error.code, 'PERMISSION_DENIED')
      return answer.statusCode
    }
    const { port } = front
    const here = [{}, { host: `localhost:${port}` }, { host: '[::1]:9' }, { host: '127.0.0.1' }]
    for (const headers of here) assert.equal(await statusOf(headers), 200, JSON.stringify(headers))
    for (const origin of [`http://127.0.0.1:${port}`, 'http://localhost:5173', 'https://shop.localhost'])
      assert.equal(await statusOf({ origin }), 200, origin)
    assert.equal(await statusOf({ origin: 'https://shop.example', 'im-api-key': '' }), 200, 'an empty key is no key')
    const foreign = [
      'https://evil.example',
      'http://127.0.0.1.evil.example',
      'http://localhost.evil.example',
      'null',
      '',
    ]
    for (const origin of [...foreign, 'http://192.168.0.7', 'http://localhost@evil.example', 'file://', 'nonsense'])
      assert.equal(await statusOf({ origin }), 403, origin)
    for (const host of ['evil.example', `rebound.example:${port}`, '0.0.0.0', '192.168.0.7:8080', '[::]'])
      assert.equal(await statusOf({ host }), 403, host)
    const heard = await converse(
      {
        say: 'POST /one HTTP/1.1\r\nHost: evil.example\r\nIM-API-KEY: x\r\nContent-Length: 5\r\n\r\nhello',
        until: 'PERMISSION_DENIED',
      },
      { say: 'GET /two HTTP/1.1\r\nHost: evil.example\r\n\r\n', until: 'two ;' },
    )
    assert.deepEqual(answersIn(heard), ['GET /two ;'], 'without a key every name is served')
  })

  test('serves a request that offers an upgrade to HTTP/2, as Java’s HttpClient and curl --http2 send it', async () => {
    const offer = 'Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'
    const heard = await converse(
      { say: `POST /one HTTP/1.1\r\n${offer}Content-Length: 10\r\n\r\nhello` },
      { say: 'there', until: 'one hellothere;' },
      { say: `GET /two HTTP/1.1\r\n${offer}\r\n`, until: 'two ;' },
      { say: 'GET /three HTTP/1.1\r\nHost: x\r\n\r\n', until: 'three ;' },
    )
    assert.deepEqual(answersIn(heard), ['POST /one hellothere;', 'GET /two ;', 'GET /three ;'])
  })
  test('lets a body take longer than a head may: the receiving process sets the limit', async () => {
    const { port } = await opened(500)
    const upload = request({ port, method: 'PUT', path: '/file', headers: { 'content-length': 10 } })
    const answered = once(upload, 'response') as Promise<[IncomingMessage]>
    upload.write('hello')
    for (let i = 0; i < 3; i++) {
      const late = connect(port, '127.0.0.1')
      late.write('GET / HTTP/1.1\r\n')
      assert.match(await text(late), /^HTTP\/1\.1 408 /)
    }
    upload.end('there')
    const [answer] = await answered
    assert.equal(await text(answer), 'PUT /file hellothere;')
  })
})
