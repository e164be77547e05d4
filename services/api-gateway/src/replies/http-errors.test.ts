import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { openConnection } from '../test-connection.ts'
import { startTestGateway, type TestGateway, type TestUser } from '../test-gateway.ts'

describe('HTTP errors use the envelope, and the bare form on bare endpoints', () => {
  let gateway: TestGateway
  let alice: TestUser
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
  })
  afterAll(() => gateway.stop())

  function isEnvelope(
    body: { RC: number; RM: string; error: { code: string; message: string } },
    status: number,
    code: string,
  ) {
    assert.deepEqual(body, { RC: status, RM: body.RM, error: { code, message: body.RM } })
  }

  const broken: [what: string, text: string, status: number, code: string][] = [
    ['bytes that are not HTTP', '\u0000\u0001nonsense\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['an unknown method', 'FETCH /me HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['another protocol', 'GET /me HTTQ/1.1\r\nhost: x\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['no Host', 'GET /me HTTP/1.1\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['an invalid Content-Length', 'POST /me HTTP/1.1\r\nhost: x\r\ncontent-length: 1x\r\n\r\n', 400, 'INVALID_REQUEST'],
    [
      'two lengths',
      'POST /me HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
      400,
      'INVALID_REQUEST',
    ],
    [
      'a length and chunks',
      'POST /me HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'INVALID_REQUEST',
    ],
    ['a header of 40 KiB', `GET /me HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(40_960)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ['a URL of 26 KiB', `GET /me?x=${'x'.repeat(26_624)} HTTP/1.1\r\nhost: x\r\n\r\n`, 414, 'URI_TOO_LONG'],
  ]
  for (const [what, text, status, code] of broken) {
    test(`${what}: ${status} ${code}`, async () => {
      const connection = await openConnection(gateway.url)
      connection.write(text)
      const answer = await connection.answer()
      assert.equal(answer.status, status)
      isEnvelope(answer.body, status, code)
      assert.equal(answer.headers.get('access-control-allow-origin'), '*')
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
      connection.socket.destroy()
    })
  }

  test('an unknown expectation is ignored', async () => {
    const connection = await openConnection(gateway.url)
    connection.write(
      `GET /admin/groups HTTP/1.1\r\nhost: x\r\nim-api-key: ${gateway.apiKey}\r\nexpect: nonsense\r\n\r\n`,
    )
    const { status, body } = await connection.answer()
    assert.deepEqual([status, body.RC], [200, 0])
    connection.socket.destroy()
  })

  test('a broken chunk in a body is 400 INVALID_REQUEST', async () => {
    const connection = await openConnection(gateway.url)
    connection.write(
      `POST /messages HTTP/1.1\r\nhost: x\r\nim-api-key: ${gateway.apiKey}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`,
    )
    const { status, body } = await connection.answer()
    assert.equal(status, 400)
    isEnvelope(body, 400, 'INVALID_REQUEST')
    await connection.closed
  })

  test('a token of 4,096 bytes and a user ID of 128 characters are accepted, percent-encoded', async () => {
    const [user, token] = ['鍵'.repeat(128), '鍵'.repeat(1_365)]
    const expirationDate = new Date(Date.now() + 86_400_000).toISOString()
    await gateway.admin('POST', '/admin/clients', { _id: user, issueAccessToken: false, token, expirationDate })
    const answer = await gateway.anonymous('GET', '/me', undefined, {
      'im-client-key': gateway.clientKey,
      'im-authorization': encodeURIComponent(token),
      'im-client-id': encodeURIComponent(user),
    })
    assert.deepEqual([answer.status, answer.body.result._id], [200, user])
  })

  test('an unknown path is 404 NOT_FOUND before anything else is read', async () => {
    proves('Error forms', 'the envelope {RC, RM, error: {code, message}}, RC repeats the HTTP status')
    for (const [method, path, body] of [
      ['GET', '/no/such/path', undefined],
      ['POST', '/no/such/path', '{"malformed'],
      ['PUT', '/', '{}'],
      ['DELETE', '/me/no', undefined],
      ['GET', '/rooms/a/b/c/d', undefined],
    ] as const) {
      const answer = await gateway.anonymous(method, path, body)
      assert.equal(answer.status, 404, path)
      isEnvelope(answer.body, 404, 'NOT_FOUND')
    }
  })

  for (const [method, path, allow] of [
    ['PUT', '/messages', 'OPTIONS POST'],
    ['PATCH', '/messages/', 'OPTIONS POST'],
    ['DELETE', '/me/badge', 'GET HEAD OPTIONS'],
    ['PATCH', '/rooms/some%2Froom', 'DELETE GET HEAD OPTIONS PUT'],
    ['PROPFIND', '/config', 'GET HEAD OPTIONS POST'],
  ] as const) {
    test(`${method} ${path} is 405 METHOD_NOT_ALLOWED with Allow`, async () => {
      const connection = await openConnection(gateway.url)
      connection.write(`${method} ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
      const { status, headers, body } = await connection.answer()
      assert.equal(status, 405)
      isEnvelope(body, 405, 'METHOD_NOT_ALLOWED')
      assert.deepEqual(headers.get('allow')?.split(', ').toSorted(), allow.split(' '))
      connection.socket.destroy()
    })
  }

  test('HEAD is answered like GET, without the body', async () => {
    for (const path of ['/me/badge', '/no/such/path']) {
      const answer = await fetch(gateway.url + path, { method: 'HEAD' })
      assert.equal(answer.status, path === '/me/badge' ? 401 : 404)
      assert.equal(await answer.text(), '')
    }
  })

  for (const [method, path, code = 'INVALID_REQUEST'] of [
    ['DELETE', '/config/%zz'],
    ['DELETE', '/config/%'],
    ['DELETE', '/config/%ff'],
    ['GET', '/rooms/%E0%A4%A'],
    ['PUT', '/rooms/%c0%af/lastRead'],
    ['GET', '/%zz'],
    ['DELETE', '/blockStatus/room/x/%ff', 'INVALID_USER_ID'],
  ] as const) {
    test(`${method} ${path}, with a path that is not UTF-8, is 400 ${code}`, async () => {
      const { status, body } = await gateway.admin(method, path)
      assert.equal(status, 400)
      isEnvelope(body, 400, code)
    })
  }

  test('an encoded percent sign is decoded once', async () => {
    await gateway.admin('POST', '/config', { '100%': 1, '%zz': 2 })
    assert.equal((await gateway.admin('DELETE', '/config/%25zz')).status, 200)
    assert.equal((await gateway.admin('DELETE', '/config/100%25')).status, 200)
  })

  test('an ID in a path over the limit is 400, whatever its length', async () => {
    for (const length of [129, 1_000, 2_000, 15_000]) {
      const { status, body } = await alice.call('GET', `/rooms/${'x'.repeat(length)}`)
      assert.deepEqual([status, body.error.code], [400, 'INVALID_REQUEST'], `${length}`)
    }
  })

  test('bare endpoints return these errors in the bare form', async () => {
    const path = '/admin/clients/alice/token'
    const json = { 'content-type': 'application/json' }
    const answers = [
      [await gateway.admin('DELETE', '/admin/clients/%zz/token'), 400, 'INVALID_REQUEST'],
      [await gateway.admin('DELETE', path, '{', json), 400, 'INVALID_BODY'],
      [await gateway.admin('DELETE', path, '['.repeat(10_000)), 400, 'INVALID_BODY'],
      [
        await gateway.admin('DELETE', path, '<a/>', { 'content-type': 'application/xml' }),
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      ],
      [await gateway.admin('DELETE', path, `"${'x'.repeat(1_048_576)}"`), 413, 'BODY_TOO_LARGE'],
      [await gateway.admin('PUT', path, { token: 5 }), 400, 'INVALID_REQUEST'],
      [await gateway.admin('GET', path), 405, 'METHOD_NOT_ALLOWED'],
    ] as const
    for (const [{ status, body }, wantedStatus, code] of answers) {
      assert.deepEqual([status, body], [wantedStatus, { error: code, message: body.message }])
    }
  })
})
