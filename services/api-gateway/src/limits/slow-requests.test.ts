import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { openConnection } from '../test-connection.ts'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

describe('requests have a time limit, and unauthorised callers are refused before the body is read', () => {
  let gateway: TestGateway
  let impatient: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
    impatient = await gateway.another({ receiveMS: 500 })
  })
  afterAll(async () => {
    await impatient.stop()
    await gateway.stop()
  })

  const head = (request: string, headers: Record<string, string>) =>
    [
      `${request} HTTP/1.1`,
      ...Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}`),
    ].join('\r\n')
  const endless = { 'content-type': 'application/json', 'content-length': '100000' }

  /** Sends a chunk every 20 ms for as long as the server allows. */
  async function trickle(url: string, begin: string, piece: string) {
    const connection = await openConnection(url)
    connection.write(begin)
    const timer = setInterval(() => connection.write(piece), 20)
    const answer = await connection.answer().finally(() => clearInterval(timer))
    return { answer, closed: connection.closed }
  }

  test('a trickling body is 408 REQUEST_TIMEOUT in the envelope, and its connection ends', async () => {
    const begin = `${head('POST /messages', { ...endless, 'im-api-key': gateway.apiKey })}\r\n\r\n{"room":"`
    const { answer, closed } = await trickle(impatient.url, begin, 'x')
    assert.equal(answer.status, 408)
    assert.deepEqual([answer.body.RC, answer.body.error.code], [408, 'REQUEST_TIMEOUT'])
    assert.equal(answer.headers.get('access-control-allow-origin'), '*')
    await closed
  })

  test('trickling headers are 408 REQUEST_TIMEOUT in the envelope, and their connection ends', async () => {
    const { answer, closed } = await trickle(impatient.url, `${head('GET /me/badge', {})}\r\nx-slow: `, 'x')
    assert.deepEqual([answer.status, answer.body.error.code], [408, 'REQUEST_TIMEOUT'])
    await closed
  })

  test('a client that keeps sending after a refusal gets one response, and its connection ends', async () => {
    const connection = await openConnection(impatient.url)
    connection.write(`${head('POST /messages', endless)}\r\n\r\n{`)
    const timer = setInterval(() => connection.write(' '), 20)
    assert.equal((await connection.answer()).status, 401)
    await assert.rejects(connection.answer(), /the connection ended after ""/)
    clearInterval(timer)
  })

  for (const [request, code] of [
    ['POST /messages', 'INVALID_API_KEY'],
    ['PUT /rooms/x/lastRead', 'INVALID_CLIENT_KEY'],
    ['POST /config', 'INVALID_API_KEY'],
  ] as const) {
    test(`${request} without keys is 401 ${code} before its body arrives`, async () => {
      const connection = await openConnection(gateway.url)
      connection.write(`${head(request, endless)}\r\n\r\n`)
      const { status, body } = await connection.answer()
      assert.deepEqual([status, body.error.code], [401, code])
      connection.socket.destroy()
    })
  }

  test('DELETE /admin/clients/{client_id}/token without a key is 401 UNAUTHORIZED before its body arrives', async () => {
    const connection = await openConnection(gateway.url)
    connection.write(`${head('DELETE /admin/clients/x/token', endless)}\r\n\r\n`)
    const { status, body } = await connection.answer()
    assert.deepEqual([status, body.error], [401, 'UNAUTHORIZED'])
    connection.socket.destroy()
  })

  for (const [what, body, form] of [
    ['an assigned token', '{"_id":"a","issueAccessToken":false}', 'bare'],
    ['a profile', '{"_id":"a","nickname":"A"}', 'envelope'],
    ['null for the token', '{"_id":"a","token":null}', 'envelope'],
    ['malformed JSON', '{"_id":', 'envelope'],
    ['an assigned token beside 8 KiB', `{"_id":"a","issueAccessToken":false,"x":"${'x'.repeat(8_192)}"}`, 'envelope'],
    ['a body of 2 MiB', ' '.repeat(2 * 1024 * 1024), 'envelope'],
    ['no body', '', 'envelope'],
  ] as const) {
    test(`POST /admin/clients without a key and with ${what} is 401 in the form ${form}`, async () => {
      const { status, body: answer } = await gateway.anonymous('POST', '/admin/clients', body)
      assert.equal(status, 401)
      if (form === 'bare') assert.equal(answer.error, 'UNAUTHORIZED')
      else assert.equal(answer.error.code, 'INVALID_API_KEY')
    })
  }

  for (const [how, length] of [
    ['of a length', { 'content-length': '1000000' }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ] as const) {
    test(`POST /admin/clients without a key is 401 after 8 KiB of a body ${how}`, async () => {
      const connection = await openConnection(gateway.url)
      connection.write(`${head('POST /admin/clients', { 'content-type': 'application/json', ...length })}\r\n\r\n`)
      const begin = `{"_id":"a","issueAccessToken":false,"x":"${'x'.repeat(8_192)}`
      const isChunked = 'transfer-encoding' in length
      connection.write(isChunked ? `${begin.length.toString(16)}\r\n${begin}\r\n` : begin)
      const { status, body } = await connection.answer()
      assert.deepEqual([status, body.error.code], [401, 'INVALID_API_KEY'])
      connection.socket.destroy()
    })
  }

  test('POST /admin/clients without a key and with a short trickling body ends in time', async () => {
    const short = { ...endless, 'content-length': '5000' }
    const { answer, closed } = await trickle(impatient.url, `${head('POST /admin/clients', short)}\r\n\r\n{`, ' ')
    assert.equal(answer.status, 408)
    await closed
  })
})
