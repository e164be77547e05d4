/**
 * Request smuggling: a proxy with persistent connections and the server must agree on the ends of requests and
 * responses (RFC 9112, sections 6 and 9).
 */
import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Node, startNode } from './nodes.ts'
import { rawPolling } from './raw-client.ts'
import { saidUntilClosed } from './raw-http.ts'

const path = '/socket.io/?EIO=4&transport=polling'
const unknown = `${path}&sid=abcdefghij-_ABCDEFGH`
/** The last request of a connection: a preflight. Its response has no body, and only it gets 204. */
const last = 'OPTIONS /socket.io/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
const statuses = (said: string) => [...said.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))

describe('an HTTP request', () => {
  let node: Node
  beforeAll(async () => {
    node = await startNode({ maxPayload: 100_000, cors: { origin: '*' } })
  })
  afterAll(() => node.stop())
  const head = (method: string, target: string, ...fields: string[]) =>
    `${[`${method} ${target} HTTP/1.1`, 'Host: x', ...fields].join('\r\n')}\r\n\r\n`

  for (const target of [path, unknown, '/socket.io/', `${path}&sid=`]) {
    test(`by HEAD is answered without a body: ${target}`, async () => {
      const said = await saidUntilClosed(node.url, head('HEAD', target) + last)
      assert.deepEqual(statuses(said), [400, 204])
      const [answer, next] = said.split('\r\n\r\n')
      assert.match(answer ?? '', /content-length: \d\d/i)
      assert.match(next ?? '', /^HTTP\/1\.1 204 /)
    })
  }

  for (const method of ['PUT', 'DELETE', 'PATCH', 'TRACE', 'CONNECT', 'PROPFIND', 'GETS']) {
    test(`by ${method} is refused, and the next request starts after its body`, async () => {
      for (const target of [path, unknown]) {
        const body = head('GET', unknown)
        const request = head(method, target, `Content-Length: ${body.length}`) + body
        assert.deepEqual(statuses(await saidUntilClosed(node.url, request + last)), [400, 204])
      }
    })
  }

  for (const [method, status] of [
    ['GET', 200],
    ['POST', 400],
    ['OPTIONS', 204],
  ] as const) {
    test(`by ${method} with an unread body: the next request starts after the body`, async () => {
      const body = head('GET', unknown)
      const whole = head(method, path, `Content-Length: ${body.length}`) + body
      assert.deepEqual(statuses(await saidUntilClosed(node.url, whole + last)), [status, 204])
      const chunked = `${head(method, path, 'Transfer-Encoding: chunked')}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
      assert.deepEqual(statuses(await saidUntilClosed(node.url, chunked + last)), [status, 204])
    })
  }

  for (const fields of [
    ['Content-Length: 5', 'Content-Length: 6'],
    ['Content-Length: 5', 'Content-Length: 5'],
    ['Content-Length: 0', 'Content-Length: 60'],
    ['Content-Length: 5, 6'],
    ['Content-Length: -5'],
    ['Content-Length: +5'],
    ['Content-Length: 5x'],
    ['Content-Length: 0x5'],
    ['Content-Length: 99999999999999999999'],
    ['Content-Length: 5', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked', 'Content-Length: 5'],
    ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
    ['Transfer-Encoding: xchunked'],
    ['Transfer-Encoding: chunked, identity'],
    ['Transfer-Encoding: gzip, chunked'],
    ['Transfer-Encoding: identity'],
    ['Transfer-Encoding : chunked'],
  ]) {
    test(`with an ambiguous body length is refused, and nothing after it is read: ${fields.join(', ')}`, async () => {
      for (const method of ['GET', 'POST']) {
        const said = await saidUntilClosed(node.url, `${head(method, unknown, ...fields)}0\r\n\r\n${last}`)
        assert.deepEqual(statuses(said).slice(1), [], said)
      }
      const alone = await saidUntilClosed(node.url, head('GET', unknown, ...fields))
      assert.deepEqual(statuses(alone), [400])
    })
  }

  test('for a WebSocket has no body', async () => {
    const upgrade = [
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
    ]
    for (const field of ['Content-Length: 5', 'Transfer-Encoding: chunked']) {
      const target = '/socket.io/?EIO=4&transport=websocket'
      const said = await saidUntilClosed(node.url, `${head('GET', target, ...upgrade, field)}hello${last}`)
      assert.deepEqual(statuses(said).slice(1), [], said)
      const alone = await saidUntilClosed(node.url, head('GET', target, ...upgrade, field))
      assert.deepEqual(statuses(alone), [400])
    }
  })

  test('that is too large is read to its end, so that its response arrives and the connection stays open', async () => {
    const polling = await rawPolling(`${node.url}/socket.io/`)
    const body = 'x'.repeat(300_000)
    const request = head('POST', `${path}&sid=${polling.sid}`, `Content-Length: ${body.length}`) + body
    assert.deepEqual(statuses(await saidUntilClosed(node.url, request + last)), [413, 204])
  })

  for (const [how, field] of [
    ['declares a huge body', 'Content-Length: 100000000000'],
    ['declares no length', 'Transfer-Encoding: chunked'],
  ] as const) {
    test(`that is too large and ${how} is answered, and its connection closed`, async () => {
      const polling = await rawPolling(`${node.url}/socket.io/`)
      const text = 'x'.repeat(1_500_000)
      const chunk = field.startsWith('Transfer') ? `${text.length.toString(16)}\r\n${text}\r\n` : text
      const request = head('POST', `${path}&sid=${polling.sid}`, field) + chunk
      assert.deepEqual(statuses(await saidUntilClosed(node.url, request)), [413])
    })
  }

  test('with a stalled body is closed unanswered, and its session continues', async () => {
    const impatient = await startNode({ bodyTimeoutMS: 500 })
    const polling = await rawPolling(`${impatient.url}/socket.io/`)
    const post = head('POST', `${path}&sid=${polling.sid}`, 'Content-Length: 90000')
    assert.equal(await saidUntilClosed(impatient.url, `${post}4`), '')
    await polling.post('40')
    assert.match((await polling.poll()).text, /^40/)
    impatient.stop()
  })

  test('from a browser may have the headers that its preflight requests', async () => {
    const headers = { origin: 'https://app', 'access-control-request-headers': 'authorization,x-mine' }
    const preflight = await fetch(`${node.url}/socket.io/`, { method: 'OPTIONS', headers })
    assert.equal(preflight.headers.get('access-control-allow-headers'), 'authorization,x-mine')
  })
})
