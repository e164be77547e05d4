import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, startWithAlice, type TestGateway, type TestUser } from '../test-gateway.ts'

describe('bad input gets a clear error that names the field', () => {
  let gateway: TestGateway
  let alice: TestUser
  let room: string
  beforeAll(async () => {
    ;({ gateway, alice, room } = await startWithAlice())
  })
  afterAll(() => gateway.stop())

  type Case = [what: string, body: () => unknown, status: number, code: string, message: RegExp]
  const whole = () => ({ room, sender: 'alice', message: 'x', messageType: 'text' })
  const cases: Case[] = [
    ['a wrong type', () => ({ ...whole(), sender: 5 }), 400, 'INVALID_REQUEST', /^sender: expected string/],
    ['malformed JSON', () => '{"room":', 400, 'INVALID_BODY', /not valid JSON/],
    ['a JSON array', () => [], 400, 'INVALID_BODY', /expected object/],
    ['no body', () => '', 400, 'MISSING_PARAMETER', /^room is required$/],
    ['an ID with a control character', () => ({ ...whole(), sender: 'a\u0000' }), 400, 'INVALID_REQUEST', /^sender: /],
    ['an ID of 129 characters', () => ({ ...whole(), sender: 'a'.repeat(129) }), 400, 'INVALID_REQUEST', /^sender: /],
    [
      'a message over 64 KiB',
      () => ({ ...whole(), message: 'x'.repeat(65_536) }),
      413,
      'MESSAGE_TOO_LARGE',
      /^message/,
    ],
    ['a body of 2 MiB', () => ({ ...whole(), message: 'x'.repeat(2 * 1024 * 1024) }), 413, 'BODY_TOO_LARGE', /1 MiB/],
    ['an unknown room', () => ({ ...whole(), room: 'nowhere' }), 404, 'ROOM_NOT_FOUND', /"nowhere"/],
    ['an unknown sender', () => ({ ...whole(), sender: 'nobody' }), 404, 'CLIENT_NOT_FOUND', /"nobody"/],
  ]
  for (const [what, body, status, code, message] of cases) {
    test(`POST /messages with ${what} is ${status} ${code}`, async () => {
      if (code === 'ROOM_NOT_FOUND') proves('POST /messages', '404 ROOM_NOT_FOUND')
      const answer = await gateway.admin('POST', '/messages', body())
      assert.equal(answer.status, status)
      assert.equal(answer.body.RC, status)
      assert.equal(answer.body.error.code, code)
      assert.match(answer.body.error.message, message)
      assert.equal(answer.body.RM, answer.body.error.message)
    })
  }

  test('content of any JSON comes back unchanged, whatever its keys', async () => {
    const text = `{"$where":1,"a.b":{"__proto__":{"x":[null,1.5,"\\u0000"]}},"constructor":[]}`
    const body = `{"room":${JSON.stringify(room)},"sender":"alice","messageType":"json","message":${text}}`
    const sent = await gateway.admin('POST', '/messages', body)
    assert.equal(sent.status, 200)
    const { body: history } = await alice.call('GET', `/rooms/${room}/messages/v3?limit=1`)
    assert.equal(JSON.stringify(history.result.data[0].message), text)
  })

  test('content nested 100 levels deep is accepted, deeper content is 400 INVALID_BODY', async () => {
    const send = (depth: number) => {
      const nested = '['.repeat(depth) + ']'.repeat(depth)
      return gateway.admin(
        'POST',
        '/messages',
        `{"room":"${room}","sender":"alice","messageType":"x","message":${nested}}`,
      )
    }
    assert.equal((await send(100)).status, 200)
    for (const depth of [101, 20_000]) {
      const { status, body } = await send(depth)
      assert.deepEqual([status, body.error.code], [400, 'INVALID_BODY'])
    }
    assert.equal((await alice.call('GET', `/rooms/${room}/messages/v3`)).status, 200)
  })

  test('a number in the query that is not decimal, or given twice, is 400 INVALID_QUERY, naming the parameter', async () => {
    for (const path of ['/rooms', '/admin/clients', '/admin/groups', '/admin/webhooks/failed']) {
      for (const limit of ['0x10', '1e2', '%201', 'Infinity', '1_0', '-1', '1.5', '1&limit=2']) {
        const call = path === '/rooms' ? alice.call : gateway.admin
        const { status, body } = await call('GET', `${path}?limit=${limit}`)
        assert.deepEqual([status, body.error.code], [400, 'INVALID_QUERY'], `${path} ${limit}`)
        assert.match(body.error.message, /limit/)
        assert.doesNotMatch(body.error.message, /NaN/)
      }
    }
  })

  test('a missing query parameter is 400 INVALID_QUERY, and the message says that it is required', async () => {
    for (const [path, name] of [
      ['/users/search', 'q'],
      ['/me/changes', 'since'],
      ['/presence', 'clients'],
    ] as const) {
      const { status, body } = await alice.call('GET', path)
      assert.deepEqual([status, body.error.code, body.RM], [400, 'INVALID_QUERY', `${name} is required`])
    }
    const { body } = await alice.call('GET', '/presence?clients=%00')
    assert.equal(body.RM, 'clients: expected no control characters')
  })

  test('a wrong client key is 401 INVALID_CLIENT_KEY, a wrong token 401 INVALID_TOKEN', async () => {
    const codeFor = async (headers: Record<string, string>) => {
      const { status, body } = await alice.call('GET', '/me/badge', undefined, headers)
      return [status, body.error.code]
    }
    assert.deepEqual(await codeFor({ 'im-client-key': 'wrong' }), [401, 'INVALID_CLIENT_KEY'])
    assert.deepEqual(await codeFor({ 'im-client-key': '' }), [401, 'INVALID_CLIENT_KEY'])
    assert.deepEqual(await codeFor({ 'im-authorization': 'wrong' }), [401, 'INVALID_TOKEN'])
    assert.deepEqual(await codeFor({ 'im-authorization': '%E0%A4%A' }), [401, 'INVALID_TOKEN'])
  })

  test('a token of another app is 401 INVALID_TOKEN', async () => {
    const other = await startTestGateway()
    const stranger = await other.newUser()
    const { status, body } = await alice.call('GET', '/me/badge', undefined, { 'im-authorization': stranger.token })
    assert.deepEqual([status, body.error.code], [401, 'INVALID_TOKEN'])
    await other.stop()
  })

  const queries: [query: string, code: string][] = [
    ['limit=0', 'INVALID_QUERY'],
    ['limit=-1', 'INVALID_QUERY'],
    ['limit=1.5', 'INVALID_QUERY'],
    ['limit=1&limit=2', 'INVALID_QUERY'],
    ['limit=x', 'INVALID_QUERY'],
    ['afterTime=yesterday', 'INVALID_QUERY'],
    ['timeRangeField=deletedAt', 'INVALID_QUERY'],
  ]
  for (const [query, code] of queries) {
    test(`GET /rooms/{id}/messages/v3?${query} is 400 ${code}`, async () => {
      const { status, body } = await alice.call('GET', `/rooms/${room}/messages/v3?${query}`)
      assert.equal(status, 400)
      assert.equal(body.error.code, code)
      assert.match(body.error.message, new RegExp((query.split('=')[0] ?? '').slice(0, 4)))
    })
  }

  test('null in a required field is 400 MISSING_PARAMETER, in the interface and in extensions', async () => {
    for (const [path, body] of [
      ['/messages', { ...whole(), room: null }],
      ['/messages', { ...whole(), messageType: null }],
      ['/rooms/', { roomType: null, members: ['alice'] }],
      ['/push/push2clients', { clients: null, payload: {} }],
      ['/admin/groups', { nickname: null }],
      ['/admin/clients/list', { data: [{ _id: null }] }],
    ] as const) {
      const { status, body: answer } = await gateway.admin('POST', path, body)
      assert.deepEqual([status, answer.error.code], [400, 'MISSING_PARAMETER'], JSON.stringify(answer))
    }
  })

  test('an empty query parameter counts as absent, in every operation', async () => {
    for (const path of [
      `/rooms/${room}/messages/v3?limit=&beforeMessage=&afterMessage=&afterTime=&timeRangeField=`,
      '/rooms?sort=&skip=&limit=&updatedAfter=&pref=&sortUnreadFirst=',
      '/me/pref?skip=&limit=',
      '/invitations?limit=&cursor=',
      '/threads?unread=&limit=&cursor=',
      '/scheduled?sender=&limit=&cursor=',
    ]) {
      const { status, body } = await alice.call('GET', path)
      assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
    }
    for (const path of [
      '/admin/clients?q=&limit=&skip=',
      '/admin/groups?limit=',
      '/admin/stats?start=&end=&startTime=&endTime=',
      '/admin/reports?status=&room=&limit=&cursor=',
      '/admin/events?after=&limit=&types=&wait=',
      '/admin/webhooks/calls?room=&since=&until=&limit=&cursor=',
    ]) {
      const { status, body } = await gateway.admin('GET', path)
      assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
    }
    assert.equal((await alice.call('GET', '/me/changes?since=')).status, 400)
  })

  test('an invalid statistics window is 400 INVALID_QUERY', async () => {
    for (const query of [
      'start=20&end=10',
      'start=10&end=10',
      'start=x',
      'start=-1',
      'start=1.5',
      'startTime=yesterday',
      'start=1&startTime=1970-01-01',
      'start=0&end=99999999',
      `start=${Math.floor(Date.now() / 1000) + 100}`,
    ]) {
      const { status, body } = await gateway.admin('GET', `/admin/stats?${query}`)
      assert.deepEqual([status, body.error?.code], [400, 'INVALID_QUERY'], query)
    }
  })
})
