import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { inPlace } from '@parley/contracts/documents/part-names'
import { allOperations } from '@parley/contracts/operations/all'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startWithAlice, type TestGateway, type TestUser } from '../test-gateway.ts'

describe('operations of the interface are lenient', () => {
  let gateway: TestGateway
  let alice: TestUser
  let room: string
  beforeAll(async () => {
    ;({ gateway, alice, room } = await startWithAlice())
  })
  afterAll(() => gateway.stop())

  const whole = () => ({ room, sender: 'alice', message: 'x', messageType: 'text' })
  const ignoredOf = ({ headers }: { headers: Headers }) => headers.get('parley-ignored')

  test('an unknown field is ignored, and named in Parley-Ignored', async () => {
    const answer = await gateway.admin('POST', '/messages', { ...whole(), colour: 'red', x: { y: 1 } })
    assert.equal(answer.status, 200)
    assert.equal(ignoredOf(answer), 'colour, x')
    assert.equal(ignoredOf(await gateway.admin('POST', '/messages', whole())), null)
  })

  test('extensions ignore unknown query parameters too, and name them', async () => {
    for (const path of ['/admin/rooms?skip=3&limit=1', '/admin/audit?skip=3', `/admin/rooms/${room}?skip=`]) {
      const answer = await gateway.admin('GET', path)
      assert.deepEqual([answer.status, ignoredOf(answer)], [200, path.endsWith('=') ? null : 'skip'], path)
    }
    const refused = await gateway.admin('GET', '/admin/rooms?skip=3&limit=0')
    assert.deepEqual([refused.body.error.code, ignoredOf(refused)], ['INVALID_QUERY', 'skip'])
  })

  test('an unknown nested field is named with its path', async () => {
    const body = {
      clients: ['alice'],
      payload: { title: 'T', colour: 'red', alert: { 'loc-key': 'k', subtitle: 's' } },
    }
    const answer = await gateway.admin('POST', '/push/push2clients', body)
    assert.deepEqual([answer.status, ignoredOf(answer)], [200, 'payload.colour'])
  })

  test('names of ignored fields are percent-encoded, shortened and counted', async () => {
    const odd = await gateway.admin('POST', '/messages', {
      ...whole(),
      'ü, "\r\nx: y': 1,
      '\ud800': 1,
      ['n'.repeat(500)]: 1,
    })
    assert.equal(odd.status, 200)
    assert.equal(ignoredOf(odd), `${encodeURIComponent('ü, "\r\nx: y')}, %EF%BF%BD, ${'n'.repeat(128)}`)
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`f${i}`, i]))
    const answer = await gateway.admin('POST', '/messages', { ...whole(), ...many })
    assert.equal(answer.status, 200)
    assert.deepEqual(ignoredOf(answer)?.split(', ').slice(18), ['f18', 'f19', '*'])
    // Clients and proxies refuse responses with long headers.
    const long = (name: string) => Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${i} ${name}`, i]))
    for (const [name, max] of [
      ['n'.repeat(120), 8],
      ['鍵'.repeat(40), 2],
      ['鍵'.repeat(128), 0],
    ] as const) {
      const bounded = await gateway.admin('POST', '/messages', { ...whole(), ...long(name) })
      const named = ignoredOf(bounded)?.split(', ') ?? []
      assert.deepEqual([bounded.status, named.length - 1, named.at(-1)], [200, max, '*'])
    }
  })

  test('a null body counts as none', async () => {
    for (const path of ['/badges/byRoomTags', '/me/unsubscribe']) {
      assert.equal((await alice.call('POST', path, 'null')).status, 200, path)
    }
    const { status, body } = await gateway.admin('POST', '/messages', 'null')
    assert.deepEqual([status, body.error.code], [400, 'MISSING_PARAMETER'])
  })

  test('fields named like members of Object.prototype are unknown fields', async () => {
    const body = `{"room":"${room}","sender":"alice","message":1,"messageType":"x","__proto__":{"push":1},"constructor":1,"toString":1}`
    const answer = await gateway.admin('POST', '/messages', body)
    assert.deepEqual([answer.status, ignoredOf(answer)], [200, '__proto__, constructor, toString'])
  })

  test('an unknown query parameter is ignored, and named', async () => {
    for (const path of ['/rooms?colour=red', '/me/badge?colour=red', `/rooms/${room}/messages/v3?colour=red&limit=1`]) {
      const answer = await alice.call('GET', path)
      assert.deepEqual([answer.status, ignoredOf(answer)], [200, 'colour'], path)
    }
  })

  test('the body of an operation without one is ignored, and its fields named', async () => {
    const answer = await gateway.admin('DELETE', '/config/none', { reason: 'x' })
    assert.deepEqual([answer.status, ignoredOf(answer)], [404, 'reason'])
  })

  test('null counts as absent in an optional field', async () => {
    const sent = await gateway.admin('POST', '/messages', {
      ...whole(),
      push: null,
      skipTotalBadge: null,
      mentions: null,
      clientMessageID: null,
    })
    assert.equal(sent.status, 200)
    assert.equal('mentions' in sent.body.result, false)
    assert.equal('clientMessageID' in sent.body.result, false)
    const made = await gateway.admin('POST', '/rooms/', {
      roomType: 'group',
      members: ['alice'],
      ...{ _id: null, name: null, extParams: null, roomTags: null, owner: null, botMode: null, serviceStatus: null },
    })
    assert.equal(made.status, 200)
    assert.deepEqual([made.body.result.name, made.body.result.extParams, made.body.result.roomTags], ['', {}, []])
    const tags = await alice.call('POST', '/badges/byRoomTags', { tags: null })
    assert.equal(tags.status, 200)
    const push = { clients: ['alice'], payload: { title: 'T', badge: null, alert: { 'loc-key': null } } }
    assert.equal((await gateway.admin('POST', '/push/push2clients', push)).status, 200)
  })

  test('null for the token fields of POST /admin/clients makes a profile update, which keeps absent fields', async () => {
    await gateway.newUser('carol', { nickname: 'Carol', avatarUrl: 'https://x/y.png' })
    const body = {
      _id: 'carol',
      nickname: null,
      email: 'c@x.org',
      token: null,
      expirationDate: null,
      issueAccessToken: null,
    }
    const answer = await gateway.admin('POST', '/admin/clients', body)
    assert.equal(answer.status, 200)
    const { nickname, avatarUrl, email, token } = answer.body.result
    assert.deepEqual([nickname, avatarUrl, email, token], ['Carol', 'https://x/y.png', 'c@x.org', undefined])
  })

  test('with issueAccessToken true, the service generates a token even if one is supplied', async () => {
    const body = { _id: 'dan', issueAccessToken: true, token: 'supplied', expirationDate: '2099-01-01T00:00:00Z' }
    const { status, body: answer } = await gateway.admin('POST', '/admin/clients', body)
    assert.equal(status, 200)
    assert.equal(answer.result.expirationDate, '2099-01-01T00:00:00.000Z')
    const statusWith = async (token: string) => {
      const headers = { 'im-client-key': gateway.clientKey, 'im-authorization': token }
      return (await gateway.anonymous('GET', '/me/badge', undefined, headers)).status
    }
    assert.deepEqual([await statusWith(answer.result.token), await statusWith('supplied')], [200, 401])
  })

  test('null is valid as a message; null in a required field of another type counts as missing', async () => {
    const sent = await gateway.admin('POST', '/messages', { ...whole(), message: null })
    assert.deepEqual([sent.status, sent.body.result.message], [200, null])
    const { status, body } = await gateway.admin('POST', '/messages', { ...whole(), sender: null })
    assert.deepEqual([status, body.error.code], [400, 'MISSING_PARAMETER'])
    assert.match(body.error.message, /\bsender\b/)
  })

  test('a limit over the maximum is lowered to it', async () => {
    for (const _id of ['u1', 'u2', 'u3']) await gateway.admin('POST', '/admin/clients', { _id, issueAccessToken: true })
    for (const limit of ['101', '1000000', '99999999999999999999', '1'.repeat(400)]) {
      const users = await gateway.admin('GET', `/admin/clients?limit=${limit}`)
      assert.equal(users.status, 200, limit)
      assert.equal(users.body.result.data.length, users.body.result.totalCount)
      assert.equal((await alice.call('GET', `/rooms/${room}/messages/v3?limit=${limit}`)).status, 200)
      assert.equal((await alice.call('GET', `/rooms?limit=${limit}`)).status, 200)
      assert.equal((await gateway.admin('GET', `/admin/groups?limit=${limit}`)).status, 200)
    }
  })

  test('an empty limit or skip is the default', async () => {
    const { body: history } = await alice.call('GET', `/rooms/${room}/messages/v3?limit=`)
    assert.ok(history.result.data.length > 1)
    const { body: users } = await gateway.admin('GET', '/admin/clients?limit=&skip=')
    assert.ok(users.result.data.length > 1)
    const { body: rooms } = await alice.call('GET', '/rooms?limit=&skip=&sortUnreadFirst=')
    assert.equal(rooms.result.data.length, rooms.result.totalCount)
    const { body: stats } = await gateway.admin('GET', '/admin/stats?start=&end=')
    assert.equal(stats.result.end - stats.result.start, 3_600)
  })

  for (const [path, what] of [
    ['/admin/clients?limit=-1', 'limit'],
    ['/admin/clients?limit=1.5', 'limit'],
    ['/admin/clients?limit=x', 'limit'],
    ['/admin/clients?limit=0', 'limit'],
    ['/admin/clients?skip=-1', 'skip'],
    ['/admin/clients?limit=1&limit=2', 'limit'],
    ['/admin/groups?limit=-5', 'limit'],
  ] as const) {
    test(`GET ${path} is still refused`, async () => {
      const { status, body } = await gateway.admin('GET', path)
      assert.deepEqual([status, body.error.code], [400, 'INVALID_QUERY'])
      assert.match(body.error.message, new RegExp(`^${what}: `))
    })
  }

  test('wrong types in a body are still refused', async () => {
    for (const wrong of [{ push: 'yes' }, { push: 1 }, { mentions: 'alice' }, { mentions: [1] }, { messageType: {} }]) {
      const { status, body } = await gateway.admin('POST', '/messages', { ...whole(), ...wrong })
      assert.deepEqual([status, body.error.code], [400, 'INVALID_REQUEST'], JSON.stringify(wrong))
    }
  })

  for (const type of [
    'application/x-www-form-urlencoded',
    'text/plain',
    'application/xml',
    'multipart/form-data',
    'x',
  ]) {
    test(`an empty body of content type ${type} counts as none`, async () => {
      const answer = await alice.call('POST', '/me/unsubscribe', '', { 'content-type': type })
      assert.equal(answer.status, 200)
      const users = await gateway.admin('DELETE', '/admin/clients/u3/token', '', { 'content-type': type })
      assert.deepEqual([users.status, users.body.success], [200, true])
      const none = await alice.call('PUT', `/rooms/${room}/lastRead`, '', { 'content-type': type })
      assert.deepEqual([none.status, none.body.error.code], [400, 'MISSING_PARAMETER'])
    })

    test(`a chunked body of content type ${type} without chunks counts as none`, async () => {
      // Not with fetch: it marks an empty stream as no body.
      const inChunks = async (...chunks: string[]) => {
        const headers = { 'im-api-key': gateway.apiKey, 'content-type': type, 'transfer-encoding': 'chunked' }
        const asked = request(`${gateway.url}/admin/clients/u3/token`, { method: 'DELETE', headers })
        for (const chunk of chunks) asked.write(chunk)
        const [answer] = (await once(asked.end(), 'response')) as [IncomingMessage]
        answer.resume()
        return answer.statusCode
      }
      assert.equal(await inChunks(), 200)
      assert.equal(await inChunks('<a>'), type === 'text/plain' ? 400 : 415)
    })
  }

  test('JSON is accepted as text/plain or without a content type', async () => {
    for (const type of [
      'text/plain',
      'text/plain;charset=UTF-8',
      'text/json',
      'application/vnd.api+json',
      'APPLICATION/JSON',
      '',
    ]) {
      const answer = await gateway.admin('POST', '/messages', whole(), { 'content-type': type })
      assert.equal(answer.status, 200, type)
    }
    const { status, body } = await gateway.admin('POST', '/messages', 'Hello', { 'content-type': 'text/plain' })
    assert.deepEqual([status, body.error.code], [400, 'INVALID_BODY'])
  })

  test('a body of another type than JSON, or compressed, is 415 UNSUPPORTED_MEDIA_TYPE', async () => {
    const typed = (headers: Record<string, string>) => gateway.admin('POST', '/messages', whole(), headers)
    for (const headers of [
      { 'content-type': 'application/xml' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'text/html' },
      { 'content-type': 'no type' },
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    ]) {
      const { status, body } = await typed(headers)
      assert.deepEqual([status, body.error.code], [415, 'UNSUPPORTED_MEDIA_TYPE'], JSON.stringify(headers))
    }
  })

  test('a body that is not UTF-8 is 400 INVALID_BODY', async () => {
    const answer = await fetch(`${gateway.url}/messages`, {
      method: 'POST',
      headers: { 'im-api-key': gateway.apiKey, 'content-type': 'application/json' },
      body: Buffer.from('{"room":"\xff"}', 'latin1'),
    })
    const { error } = (await answer.json()) as { error: { code: string; message: string } }
    assert.deepEqual([answer.status, error.code], [400, 'INVALID_BODY'])
  })

  for (const body of ['', '[]', '"x"', '1', 'null', 'true', '{']) {
    test(`POST /config with the body ${JSON.stringify(body)} is 400 INVALID_BODY`, async () => {
      const answer = await gateway.admin('POST', '/config', body)
      assert.deepEqual([answer.status, answer.body.error.code], [400, 'INVALID_BODY'])
    })
  }

  test('extensions are strict: an unknown field, null and a limit over the maximum are refused', async () => {
    const answers = [
      await alice.call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'text', colour: 'red' }),
      await alice.call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'text', push: null }),
      await alice.call('GET', `/rooms/${room}/members?limit=501`),
      await alice.call('POST', '/search', { type: ['messages'], keyword: 'x', limit: 501 }),
    ]
    for (const answer of answers) {
      assert.equal(answer.status, 400)
      assert.equal(ignoredOf(answer), null)
    }
  })

  test('the OpenAPI document describes this', () => {
    const body = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../docs/openapi.json'), 'utf8'))
    const described = (id: string) => {
      const operation = allOperations.find((candidate) => candidate.id === id)
      const path = operation?.path.replaceAll(/:(\w+)/g, '{$1}') ?? ''
      return inPlace(body.paths[path][operation?.method.toLowerCase() ?? ''], body.components)
    }
    const send = described('sendMessage').requestBody.content['application/json'].schema
    assert.equal(send.additionalProperties, undefined)
    assert.deepEqual([send.properties.push.type, send.properties.sender.type], [['boolean', 'null'], 'string'])
    assert.ok('Parley-Ignored' in described('sendMessage').responses['200'].headers)
    const write = described('writeMessage').requestBody.content['application/json'].schema
    assert.deepEqual([write.additionalProperties, write.properties.push.type], [false, 'boolean'])
    const limit = described('listUsers').parameters.find(({ name }: { name: string }) => name === 'limit')
    assert.equal(limit.schema.maximum, undefined)
  })
})
