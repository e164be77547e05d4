import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { RunningService } from '../platform.ts'
import type { HostileInput } from './hostile-input.ts'
import { raw } from './raw.ts'
import type { Scene } from './test-scene.ts'

type Answer = { status: number; headers: Headers; text: string }

async function ask(service: RunningService, path: string, init: RequestInit = {}): Promise<Answer> {
  const answer = await fetch(service.url + path, init)
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** Asserts an error envelope with this status. */
function assertRefused(text: string, status: number): void {
  const body = JSON.parse(text) as { RC: number; error: { code: string } }
  assert.equal(body.RC, status)
  assert.match(body.error.code, /^[A-Z_]+$/)
}

const refusedUrls = ['/config/%zz', '/rooms/%E0%A4%A/messages/v3', '/blockStatus/room/%/x']

/** Requests with hostile headers or framing. */
export const hostileRequests: HostileInput[] = [
  {
    name: 'URLs that are not UTF-8 are 400 in the envelope',
    async attack({ gateway, adminHeaders: admin }) {
      for (const url of refusedUrls) {
        const { status, text } = await ask(gateway, url, { method: 'DELETE', headers: admin })
        assert.equal(status, 400, url)
        assertRefused(text, 400)
      }
    },
  },
  {
    name: 'a length together with a chunked body, which proxies read differently, is refused and the connection closed',
    async attack({ gateway }) {
      const smuggled = 'GET /config HTTP/1.1\r\nHost: x\r\n\r\n'
      const head = `POST /config HTTP/1.1\r\nHost: x\r\nContent-Length: ${smuggled.length + 5}\r\nTransfer-Encoding: chunked`
      const { text, closed } = await raw(gateway, `${head}\r\n\r\n0\r\n\r\n${smuggled}`)
      assert.ok(closed)
      assert.match(text, /^HTTP\/1\.1 400 /)
      assert.equal(text.split('HTTP/1.1 ').length, 2, 'one answer, not two')
    },
  },
  {
    name: 'HEAD has no body, on gateway and node, so that nothing is left on a kept-alive connection',
    async attack({ gateway, node }) {
      for (const [service, path] of [
        [gateway, '/openapi.json'],
        [gateway, '/no such path'.replaceAll(' ', '-')],
        [node, '/socket.io/?EIO=4&transport=polling'],
        [node, '/socket.io/?EIO=4&transport=polling&sid=x'],
      ] as const) {
        const close = 'Connection: close\r\n\r\n'
        const { text } = await raw(service, `HEAD ${path} HTTP/1.1\r\nHost: x\r\n${close}`)
        assert.match(text, /^HTTP\/1\.1 \d{3} /)
        assert.equal(text.split('\r\n\r\n').slice(1).join(''), '', `${path}: ${text}`)
      }
    },
  },
  {
    name: "heads over the server's limit are refused",
    async attack({ gateway, node }) {
      for (const service of [gateway, node]) {
        const { text } = await raw(service, `GET /config HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`)
        assert.match(text, /^HTTP\/1\.1 4\d\d |^$/)
      }
    },
  },
  {
    name: 'content types with a suffix, a tab or capitals do not bypass the validation of the body',
    async attack({ gateway, adminHeaders: admin }) {
      // CVE-2025-32442: Fastify validated by the exact text of the content type.
      for (const type of ['application/json; x', 'application/json\t;', 'APPLICATION/JSON', 'application/json ; a=b']) {
        const init = { method: 'POST', headers: { ...admin, 'content-type': type }, body: '{"room":1,"sender":{}}' }
        const { status, text } = await ask(gateway, '/messages', init)
        assert.ok(status === 400 || status === 415, `${type}: ${status}`)
        assertRefused(text, status)
      }
    },
  },
  {
    name: 'paths that climb out of the folders of the chat page and the API page find nothing',
    async attack({ gateway }) {
      for (const path of [
        '/chat/..%2f..%2fpackage.json',
        '/chat/%2e%2e/%2e%2e/src/main.ts',
        '/docs/static/..%2f..%2fpackage.json',
        '/docs/static/%5c..%5cpackage.json',
      ]) {
        const { text } = await raw(gateway, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
        assert.match(text, /^HTTP\/1\.1 (40[0-4]) /, path)
        assert.ok(!text.includes('"dependencies"') && !text.includes('import '), path)
      }
    },
  },
  {
    name: 'long or malformed request IDs and trace contexts are not adopted',
    async attack({ gateway, adminHeaders: admin }) {
      for (const id of ['x'.repeat(5_000), 'a b"c', '{"json":1}', '<script>']) {
        const { headers } = await ask(gateway, '/config', {
          headers: { ...admin, 'x-request-id': id, traceparent: id },
        })
        assert.notEqual(headers.get('x-request-id'), id)
        assert.ok((headers.get('x-request-id') ?? '').length < 200)
      }
    },
  },
  {
    name: 'parameters that are no numbers, too large or negative are 400 INVALID_QUERY',
    async attack({ gateway, room, member }) {
      for (const query of [
        'limit=-1',
        'limit=1.5',
        'limit=NaN',
        'limit=0x10',
        'afterTime=8640000000000001',
        'afterTime=x',
      ]) {
        const { status, text } = await ask(gateway, `/rooms/${room}/messages/v3?${query}`, { headers: member.headers })
        assert.equal(status, 400, `${query}: ${text}`)
        assert.match(text, /INVALID_QUERY/)
      }
      const max = await ask(gateway, `/rooms/${room}/messages/v3?limit=1000000`, { headers: member.headers })
      assert.equal(max.status, 200, 'a limit over the maximum is cut')
    },
  },
  {
    name: 'filters that run code, never end or nest endlessly are 400, and a hundred at once are bounded',
    async attack({ gateway, adminHeaders: admin }) {
      const filters = [
        '{"$where":"while(true){}"}',
        '{"nickname":{"$function":{"body":"x","args":[],"lang":"js"}}}',
        '{"nickname":{"$regex":"(a+)+$("}}',
        `{"$and":${'['.repeat(2_000)}${']'.repeat(2_000)}}`,
        '{"__proto__":{"x":1}}',
      ]
      for (const q of filters) {
        const { status, text } = await ask(gateway, `/admin/clients?q=${encodeURIComponent(q)}`, { headers: admin })
        assert.equal(status, 400, `${q.slice(0, 60)}: ${text}`)
      }
      const slow = encodeURIComponent('{"nickname":{"$regex":"(.*a){12}"}}')
      const many = await Promise.all(
        Array.from({ length: 100 }, () => ask(gateway, `/admin/clients?q=${slow}`, { headers: admin })),
      )
      for (const { status } of many) assert.ok([200, 429, 503].includes(status), `${status}`)
    },
  },
  {
    name: 'guessing tokens and API keys is limited by 429; a valid one still works from the same address',
    async attack(scene: Scene) {
      const { gateway, adminHeaders: admin, member } = scene
      const guess = (i: number): Record<string, string> =>
        i % 2 === 0 ? { 'im-api-key': `guess ${i}` } : { ...member.headers, 'im-authorization': `guess ${i}` }
      const statuses = new Set<number>()
      for (let i = 0; i < 400 && !statuses.has(429); i++) {
        const path = i % 2 === 0 ? '/config' : '/me'
        statuses.add((await ask(gateway, path, { headers: guess(i) })).status)
      }
      statuses.delete(401)
      assert.deepEqual(statuses, new Set([429]))
      assert.equal((await ask(gateway, '/config', { headers: admin })).status, 200)
      assert.equal((await ask(gateway, '/me', { headers: member.headers })).status, 200)
    },
  },
  {
    name: "guesses of tokens in the chat page's address are limited by 429, unlike repeats of one wrong token",
    async attack({ gateway, clientKey }: Scene) {
      const statuses = new Set<number>()
      for (let i = 0; i < 400 && !statuses.has(429); i++) {
        statuses.add((await ask(gateway, `/chat?clientKey=${clientKey}&token=${randomUUID()}`)).status)
      }
      assert.ok(statuses.has(429))
      assert.equal((await ask(gateway, '/chat')).status, 200)
    },
  },
  {
    name: 'a megabyte of JSON without a key, a hundred times at once, is 401 in the envelope before it is read',
    async attack({ gateway }) {
      const begin = `{"_id":"a","issueAccessToken":false,"x":"${'x'.repeat(9_000)}`
      const types = 'Content-Type: application/json\r\nIM-API-KEY: none\r\n'
      const head = `POST /admin/clients HTTP/1.1\r\nHost: x\r\n${types}`
      for (const body of [
        `Content-Length: 1000000\r\n\r\n${begin}`,
        `Transfer-Encoding: chunked\r\n\r\n${begin.length.toString(16)}\r\n${begin}\r\n`,
      ]) {
        const answers = Array.from({ length: 50 }, () => raw(gateway, head + body, /\r\n\r\n.*\}/))
        for (const { text } of await Promise.all(answers)) {
          const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1])
          assert.ok(status === 401 || status === 429, text)
          assertRefused(text.split('\r\n\r\n')[1] ?? '', status)
        }
      }
    },
  },
]
