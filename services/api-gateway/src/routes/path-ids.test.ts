import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import type { Operation } from '@parley/contracts/operation'
import { allOperations } from '@parley/contracts/operations/all'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { newOperator } from '../console/test-operator.ts'
import { routerOptions } from '../gateway.ts'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

const all: readonly Operation[] = allOperations
const withParams = all.filter(({ params }) => params)
const namesIn = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
const fill = (path: string, ids: Record<string, string>) =>
  path.replaceAll(/:(\w+)/g, (_match, name: string) => encodeURIComponent(ids[name] ?? 'x'))

/** Sends the path unchanged. */
async function callRaw(url: string, method: string, path: string, headers: Record<string, string>, hasBody: boolean) {
  // Node would send the body of a DELETE without its length.
  const body = hasBody ? { 'content-type': 'application/json', 'content-length': '2' } : {}
  const sent = request(url, { agent: false, method, path, headers: { ...headers, ...body } })
  sent.end(hasBody ? '{}' : undefined)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode, answer: await json(response) }
}

describe('an ID in a path', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  test('equal to a segment of another path still reaches its own operation', async () => {
    const app = fastify({ routerOptions })
    for (const operation of all) {
      app.route({
        method: operation.method,
        url: operation.path,
        handler: (request) => ({ id: operation.id, params: request.params }),
      })
    }
    const partsOf = (path: string) => path.split('/')
    const isName = (part: string) => part.startsWith(':')
    const fixedAt = (place: number) =>
      all.flatMap(({ path }) => partsOf(path)[place] ?? []).filter((part) => part !== '' && !isName(part))
    const odd = ['a/b', '/', '%2e', 'a/../b', '...', '.a', '?', '#', ' ', '\\', ';', '*', ':id', 'v3/']
    for (const { id, method, path } of withParams) {
      const places = [...partsOf(path).entries()].flatMap(([place, part]) => (isName(part) ? [place] : []))
      for (const chosen of [...places.map((place) => [place]), ...(places.length > 1 ? [places] : [])]) {
        for (const value of new Set([...chosen.flatMap(fixedAt), ...odd])) {
          const ids = Object.fromEntries(
            namesIn(path).map((name, nth) => [name, chosen.includes(places[nth] ?? 0) ? value : 'x']),
          )
          // Clients that follow the URL standard do this.
          const url = new URL(fill(path, ids), 'http://parley')
          const { body } = await app.inject({ method, url: url.pathname + url.search })
          const reached = JSON.parse(body) as { id: string; params: object }
          assert.deepEqual(reached, { id, params: ids }, `${method} ${url.pathname}`)
        }
      }
    }
  })

  test('that is . or .. is 400 in every operation', async () => {
    const user = await gateway.newUser()
    const { cookie, csrf } = await newOperator(gateway, [{ app: '*', role: 'owner' }])
    for (const { method, path, access, body } of withParams) {
      for (const name of namesIn(path)) {
        for (const dots of ['.', '..']) {
          // No URL library sends this; only hand-written requests do.
          const url = fill(path, { [name]: dots }).replaceAll('.', '%2e')
          const keys = access.startsWith('client')
            ? { 'im-client-key': gateway.clientKey, 'im-authorization': user.token, 'im-client-id': user.id }
            : { 'im-api-key': gateway.apiKey, cookie, 'parley-csrf': csrf }
          const { status, answer } = await callRaw(gateway.url + '/', method, url, keys, body !== undefined)
          assert.equal(status, 400, `${method} ${url}: ${JSON.stringify(answer)}`)
        }
      }
    }
  })

  test('cannot be assigned as . or ..: 400 INVALID_REQUEST', async () => {
    const user = await gateway.newUser()
    for (const dots of ['.', '..']) {
      for (const [path, body] of [
        ['/admin/clients', { _id: dots, nickname: 'x', issueAccessToken: true }],
        ['/admin/clients/list', { data: [{ _id: dots }] }],
        ['/admin/groups', { _id: dots, nickname: 'x' }],
        ['/rooms/', { _id: dots, roomType: 'group', members: [user.id] }],
        ['/config', { [dots]: 1 }],
      ] as const) {
        const { status, body: answer } = await gateway.admin('POST', path, body)
        assert.deepEqual([status, answer.error.code], [400, 'INVALID_REQUEST'], path)
      }
      const device = { type: 'ios', token: 'x', deviceId: dots }
      assert.equal((await user.call('POST', '/me/subscribe', device)).status, 400)
    }
  })
})
