import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { makeApp } from '@parley/local/make-app'
import { io, type Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { call, connectClient, type Platform, type RunningService, startPlatform } from '../platform.ts'

interface Ack {
  RC: number
  result: Record<string, unknown>
  error?: { code: string; message: string }
}

describe('emits of clients', () => {
  let platform: Platform
  let gateway: RunningService
  let node: RunningService
  let token: string
  let alice: Socket

  beforeAll(async () => {
    platform = await startPlatform()
    gateway = await platform.start('api-gateway')
    node = await platform.start('realtime')
    token = (await platform.newUser('alice')).token
    await platform.admin('POST', '/rooms/', { _id: 'room', roomType: 'group', members: ['alice'] })
    alice = await connectClient(node.url, token)
  })
  afterAll(async () => {
    alice?.close()
    await platform.stop()
  })

  /** Sends `auth2` on a new socket; returns the acknowledgement. */
  async function auth2(args: unknown[], auth: object = {}): Promise<Ack> {
    const socket = io(node.url, { transports: ['websocket'], forceNew: true, auth })
    try {
      return (await socket.timeout(100_000).emitWithAck('auth2', ...args)) as Ack
    } finally {
      socket.close()
    }
  }

  test('auth2 returns everything needed to call REST, and the time', async () => {
    proves('Authentication of a socket', 'auth2 with token, options and acknowledgement')
    const beforeMS = Date.now()
    const { RC, result } = await auth2([token, { deviceId: 'phone' }])
    assert.equal(RC, 0)
    const { expirationDate, serverTimeMS, ...named } = result
    assert.deepEqual(named, { _id: 'alice', appID: platform.app, clientKey: platform.clientKey, deviceId: 'phone' })
    assert.ok(Date.parse(String(expirationDate)) > beforeMS)
    assert.ok(Number(serverTimeMS) >= beforeMS && Number(serverTimeMS) <= Date.now())
  })

  const options: Record<string, unknown[]> = {
    'none at all': [],
    null: [null],
    'an empty object': [{}],
    'only null': [{ deviceId: null, clientKey: null }],
    'unknown fields': [{ platform: 'x' }],
    'something after them': [{}, 'more'],
  }
  for (const [name, more] of Object.entries(options)) {
    test(`auth2 accepts options with ${name} and assigns a device ID`, async () => {
      const { RC, result } = await auth2([token, ...more])
      assert.equal(RC, 0)
      assert.match(String(result['deviceId']), /^.{10,}$/)
    })
  }

  test('the client key can be an option, in the handshake, or absent; a wrong one is refused', async () => {
    const { clientKey } = platform
    for (const answer of [
      auth2([token, { clientKey }]),
      auth2([token], { clientKey }),
      auth2([token], { clientKey: 7 }),
    ]) {
      assert.equal((await answer).RC, 0)
    }
    for (const answer of [auth2([token, { clientKey: 'wrong' }]), auth2([token], { clientKey: 'wrong' })]) {
      assert.partialDeepStrictEqual(await answer, { RC: 401, error: { code: 'INVALID_CLIENT_KEY' } })
    }
  })

  test('a token used in two apps needs the client key', async () => {
    const other = await makeApp(platform.servers.mongoUrl, 'another app')
    const expirationDate = new Date(Date.now() + 3_600_000).toISOString()
    const bound = { _id: 'bob', token: 'in two apps', expirationDate, issueAccessToken: false, nickname: 'Bob' }
    for (const { apiKey } of [platform, other]) {
      const answer = await call(gateway.url, 'POST', '/admin/clients', { 'im-api-key': apiKey }, bound)
      assert.equal(answer.status, 200)
    }
    const { RC, error } = await auth2(['in two apps'])
    assert.deepEqual([RC, error?.code], [401, 'INVALID_CLIENT_KEY'])
    assert.match(String(error?.message), /clientKey is required/)
    for (const { app, clientKey } of [platform, other]) {
      const { result } = await auth2(['in two apps', { clientKey }])
      assert.deepEqual([result['appID'], result['clientKey']], [app, clientKey])
    }
  })

  test('auth2 with a wrong token returns 401, and the socket can retry', async () => {
    const socket = io(node.url, { transports: ['websocket'], forceNew: true })
    for (const wrong of ['', 'wrong']) {
      const ack = (await socket.emitWithAck('auth2', wrong)) as Ack
      assert.deepEqual([ack.RC, ack.error?.code], [401, 'INVALID_TOKEN'])
    }
    assert.equal(((await socket.emitWithAck('auth2', token)) as Ack).RC, 0)
    socket.close()
  })

  const wrong: [emit: string, args: unknown[], code: string, message: RegExp][] = [
    ['auth2', [], 'MISSING_PARAMETER', /^token is required$/],
    ['auth2', [null, {}], 'MISSING_PARAMETER', /^token is required$/],
    ['auth2', [7], 'INVALID_REQUEST', /^token: expected string/],
    ['auth2', ['t', 7], 'INVALID_REQUEST', /^options: expected object/],
    ['auth2', ['t', { deviceId: 7 }], 'INVALID_REQUEST', /^options\.deviceId: expected string/],
    ['conf', [{ encoding: 'rot13' }], 'INVALID_ENCODING', /^encoding: expected one of plain, base64$/],
    ['conf', [{ encoding: 7 }], 'INVALID_ENCODING', /^encoding: expected string/],
    ['chat message', [], 'MISSING_PARAMETER', /^room is required$/],
    ['chat message', [{ room: 'room', messageType: 'text' }], 'MISSING_PARAMETER', /^message is required$/],
    ['chat message', [{ room: 'room', message: 'x' }], 'MISSING_PARAMETER', /^messageType is required$/],
    ['chat message', [{ room: null, message: 'x', messageType: 'x' }], 'MISSING_PARAMETER', /^room is required$/],
    ['chat message', [{ room: 7, message: 'x', messageType: 'x' }], 'INVALID_REQUEST', /^room: expected string/],
    ['chat message', ['hi'], 'INVALID_REQUEST', /^expected object/],
    ['chat message', [[]], 'INVALID_REQUEST', /^expected object/],
    ['typing', [{ room: 'room' }], 'MISSING_PARAMETER', /^message is required$/],
    ['typing', [{ room: 'room', message: 'x', to: 'y' }], 'INVALID_REQUEST', /^to: unknown field$/],
    ['lastRead', [{ room: 'room' }], 'MISSING_PARAMETER', /^message is required$/],
    ['ai_streaming', [{ room: 'room' }], 'MISSING_PARAMETER', /^text is required$/],
  ]
  for (const [emit, args, code, message] of wrong) {
    test(`${emit} with ${JSON.stringify(args)} returns 400 ${code} and names the field`, async () => {
      const ack = (await alice.emitWithAck(emit, ...args)) as Ack
      assert.deepEqual([ack.RC, ack.error?.code], [400, code])
      assert.match(String(ack.error?.message), message)
    })
  }

  for (const [emit, args, message] of [
    [
      'chat message',
      [{ room: 'room', message: Buffer.from('x'), messageType: 'x' }],
      /^message: binary data is no JSON$/,
    ],
    ['chat message', [{ room: 'room', message: [{ a: Buffer.from('x') }], messageType: 'x' }], /^message: binary data/],
    ['auth2', [Buffer.from('x')], /^binary data is no JSON$/],
  ] as const) {
    test(`binary data in ${emit} is refused`, async () => {
      const ack = (await alice.emitWithAck(emit, ...args)) as Ack
      assert.deepEqual([ack.RC, ack.error?.code], [400, 'INVALID_BODY'])
      assert.match(String(ack.error?.message), message)
    })
  }

  test('null counts as absent in optional fields, and as content where null is allowed', async () => {
    const message = { room: 'room', message: null, messageType: 'x', push: null, mentions: null, clientMessageID: null }
    const { RC, result } = (await alice.emitWithAck('chat message', { ...message, replyTo: null })) as Ack
    assert.deepEqual([RC, result['message']], [0, null])
    assert.equal(((await alice.emitWithAck('conf', null)) as Ack).RC, 0)
  })

  test('a message can reply to another of its room', async () => {
    const emit = async (message: object) =>
      (await alice.emitWithAck('chat message', { room: 'room', messageType: 'x', ...message })) as Ack
    const { result: parent } = await emit({ message: 'parent' })
    const { result } = await emit({ message: 'reply', replyTo: parent['_id'] })
    assert.partialDeepStrictEqual(result['replyTo'], { _id: parent['_id'], text: 'parent' })
    const refused = await emit({ message: 'reply', replyTo: 'nothing' })
    assert.deepEqual([refused.RC, refused.error?.code], [404, 'MESSAGE_NOT_FOUND'])
  })

  test('a message can be scheduled, and the acknowledgement contains it', async () => {
    const sendAtMS = Date.now() + 3_600_000
    const message = { room: 'room', message: 'later', messageType: 'x', skipTotalBadge: true, sendAtMS }
    const { RC, result } = (await alice.emitWithAck('chat message', message)) as Ack
    assert.equal(RC, 0)
    assert.partialDeepStrictEqual(result, { room: 'room', sender: 'alice', message: 'later', sendAtMS })
    const { id } = result
    const headers = { 'im-client-key': platform.clientKey, 'im-authorization': token }
    const { body } = await call(gateway.url, 'DELETE', `/scheduled/${String(id)}`, headers)
    assert.deepEqual(body.result, result)
    const past = (await alice.emitWithAck('chat message', { ...message, sendAtMS: 1 })) as Ack
    assert.deepEqual([past.RC, past.error?.code], [400, 'INVALID_REQUEST'])
    assert.match(String(past.error?.message), /^sendAtMS/)
  })

  for (const [levels, code] of [
    [100, undefined],
    [101, 'INVALID_BODY'],
    [3_000, 'INVALID_BODY'],
  ] as const) {
    test(`a message nested ${levels} deep is ${code ? `400 ${code}` : 'sent'}`, async () => {
      const message: unknown = JSON.parse('['.repeat(levels) + ']'.repeat(levels))
      const ack = (await alice.emitWithAck('chat message', { room: 'room', message, messageType: 'x' })) as Ack
      assert.deepEqual([ack.RC, ack.error?.code], [code ? 400 : 0, code])
    })
  }

  for (const event of ['chat-message', 'toString', '__proto__', 'x'.repeat(10_000)]) {
    test(`an unknown emit (${event.slice(0, 20)}) returns 404 UNKNOWN_EVENT`, async () => {
      const ack = (await alice.emitWithAck(event, {})) as Ack
      assert.deepEqual([ack.RC, ack.error?.code], [404, 'UNKNOWN_EVENT'])
      assert.ok(String(ack.error?.message).length < 100)
    })
  }
})
