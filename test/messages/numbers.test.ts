import assert from 'node:assert/strict'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { type CallbackDouble, startCallback } from '../doubles/callback.ts'
import { Imports, message, user } from '../operating/imports.ts'
import { connectClient, eventually, type RunningService } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from '../push/test-push-platform.ts'

/** Numbers whose value or notation a double does not preserve. */
const content =
  '{"text":"pay 1.0","of":[9007199254740993,-12345678901234567890,0.1234567890123456789,1e400,-0,1.0,1e5]}'

describe('numbers in free JSON are preserved digit for digit', () => {
  let platform: PushPlatform
  let node: RunningService
  let server: CallbackDouble
  let alice: string
  let bob: string
  const privateTargets = { PARLEY_MODERATE_ALLOW_PRIVATE_TARGETS: 'true', PARLEY_MODERATE_TIMEOUT_MS: '10000' }
  beforeAll(async () => {
    ;[platform, server] = await Promise.all([startPushPlatform(), startCallback()])
    node = await platform.start('realtime', privateTargets)
    ;[alice, bob] = [await platform.newUser([], { isRobot: true }), await platform.newUser([])]
  })
  afterAll(async () => {
    await platform.stop()
    await server.stop()
  })

  /** Calls with the API key; returns the raw body. */
  async function callAsIs(method: string, path: string, body?: string, url = platform.gateway.url): Promise<string> {
    const headers = { 'im-api-key': platform.apiKey, 'content-type': 'application/json' }
    const answer = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) })
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    return text
  }
  const send = (room: string, sender: string, json = content) =>
    callAsIs(
      'POST',
      '/messages',
      `{"room":"${room}","sender":"${sender}","message":${json},"messageType":"text","push":true}`,
    )
  /** The raw packets of a stock client. */
  function packetsOf(socket: Socket): string[] {
    const packets: string[] = []
    socket.io.engine.on('packet', ({ data }: { data?: string }) => packets.push(String(data)))
    onTestFinished(() => void socket.close())
    return packets
  }
  const connect = (who: string, options: Parameters<typeof connectClient>[2] = {}) =>
    connectClient(node.url, platform.tokenOf(who), options)

  for (const transports of [['websocket'], ['polling']]) {
    test(`in socket events over ${transports.join('')}, plain and base64`, async () => {
      const room = await platform.newRoom([alice, bob])
      const plain = packetsOf(await connect(bob, { transports }))
      const coded = packetsOf(await connect(bob, { transports, encoding: 'base64' }))
      const decoded = () =>
        coded.map((packet) => Buffer.from(/^2\["[\w ]+","(.+)"\]$/.exec(packet)?.[1] ?? '', 'base64').toString())
      const sent = JSON.parse(await send(room, alice)) as { result: { _id: string } }
      await eventually('the message', () => plain.some((packet) => packet.includes(`"message":${content}`)))
      await eventually('in base64', () => decoded().some((payload) => payload.includes(`"message":${content}`)))
      const edit = `{"_id":"${sent.result._id}","sender":"${alice}","message":[2.0]}`
      await callAsIs('POST', `/rooms/${room}/message`, edit)
      await eventually('the edit', () => plain.some((packet) => packet.includes('"message":[2.0]')))
      await eventually('in base64', () => decoded().some((payload) => payload.includes('"message":[2.0]')))
      await callAsIs('PUT', `/rooms/${room}`, `{"extParams":${content}}`)
      await eventually('the room', () => plain.some((packet) => packet.includes(`"extParams":${content}`)))
    })
  }

  test('in an emit, its acknowledgement, the history and the event', async () => {
    const room = await platform.newRoom([alice, bob])
    const socket = await connect(alice)
    const packets = packetsOf(socket)
    const emit = (id: number, json: string, more = '') => {
      const argument = `{"room":"${room}","message":${json},"messageType":"text"${more}}`
      socket.io.engine.write(`42${id}["chat message",${argument}]`.slice(1))
    }
    const answered = (id: number) =>
      eventually(`answer ${id}`, () => packets.find((packet) => packet.startsWith(`3${id}[`)))
    emit(1001, content, ',"expiresInS":6.0e1')
    assert.ok((await answered(1001)).includes(`"message":${content}`), await answered(1001))
    await eventually('the event', () => packets.some((packet) => packet.startsWith('2[') && packet.includes(content)))
    emit(1002, '-0.0', `,"sendAtMS":${Date.now() + 3_600_000}.0`)
    assert.ok((await answered(1002)).includes('"message":-0.0'), await answered(1002))
    emit(1003, '1', ',"expiresInS":1e400')
    assert.match(await answered(1003), /"code":"INVALID_REQUEST"/)
    emit(1004, `${'['.repeat(3_000)}1.0${']'.repeat(3_000)}`)
    assert.match(await answered(1004), /"code":"INVALID_BODY"/)
    const history = await fetch(`${platform.gateway.url}/rooms/${room}/messages/v3`, {
      headers: {
        'im-client-key': platform.clientKey,
        'im-authorization': platform.tokenOf(alice),
        'im-client-id': alice,
      },
    })
    assert.ok((await history.text()).includes(`"message":${content}`))
  })

  test('in the replay of a socket', async () => {
    const room = await platform.newRoom([alice, bob])
    const first = await connect(bob)
    const since = Date.now()
    first.close()
    await send(room, alice)
    const socket = await connectClient(node.url, platform.tokenOf(bob))
    const packets = packetsOf(socket)
    const { result } = await socket.emitWithAck('auth2', platform.tokenOf(bob), { since })
    assert.equal(result.resumed, true)
    await eventually('the message', () => packets.some((packet) => packet.includes(`"message":${content}`)))
  })

  test("in a room's webhook, its returned message, failed calls, and PUSH_GENERIC", async () => {
    await platform.startPush({ PUSH_GENERIC: `${server.url}/push` })
    server.behave = ({ path, body }) =>
      path === '/hook' && body.event === 'MESSAGE'
        ? { body: `{"senderID":"${alice}","data":{"message":[${content},5.0],"messageType":"text"}}` }
        : undefined
    const room = await platform.newRoom([alice, bob], { webhook: `${server.url}/hook` })
    await send(room, bob)
    const called = (path: string, json: string) =>
      eventually(json, () => server.calls.some((one) => one.path === path && one.text.includes(json)))
    await called('/hook', `"message":${content}`)
    await called('/push', `"message":[${content},5.0]`)
    await callAsIs('PUT', `/rooms/${room}`, `{"extParams":${content}}`)
    await called('/hook', `"extParams":${content}`)
    server.behave = ({ path }) => (path === '/bad' ? { status: 400 } : undefined)
    await send(await platform.newRoom([bob], { webhook: `${server.url}/bad` }), bob)
    await eventually('the call that failed', async () =>
      (await callAsIs('GET', '/admin/webhooks/failed')).includes(`"message":${content}`),
    )
  })

  test('in the arguments of push2clients', async () => {
    await platform.startPush()
    const carol = await platform.newUser(['fcm'])
    const alert = '{"loc-key":"k","loc-args":["x",12345678901234567890,[1.0]]}'
    await callAsIs('POST', '/push/push2clients', `{"clients":["${carol}"],"payload":{"alert":${alert},"badge":3.0}}`)
    const args = () => platform.fcm.pushes.map(({ message }) => message.android.notification.body_loc_args as unknown)
    await eventually('the push', () => args().length > 0)
    assert.deepEqual(args(), [['x', '12345678901234567890', '[1.0]']])
  })

  test('in the hook MODERATE and its masked content', async () => {
    const moderating = await platform.start('api-gateway', privateTargets)
    server.behave = ({ path }) => (path === '/moderate' ? { body: '{"action":"mask","text":"masked"}' } : undefined)
    await platform.admin('POST', '/config', { MODERATE: { url: `${server.url}/moderate` } })
    onTestFinished(async () => void (await platform.admin('DELETE', '/config/MODERATE')))
    const room = await platform.newRoom([alice, bob])
    const headers = {
      ...{ 'im-client-key': platform.clientKey, 'im-authorization': platform.tokenOf(bob), 'im-client-id': bob },
      'content-type': 'application/json',
    }
    const body = `{"message":${content},"messageType":"text"}`
    const answer = await fetch(`${moderating.url}/rooms/${room}/message`, { method: 'POST', headers, body })
    const asked = server.calls.find(({ path }) => path === '/moderate')
    assert.ok(asked?.text.includes(`"message":${content}`), asked?.text)
    const masked = content.replace('pay 1.0', 'masked')
    assert.ok((await answer.text()).includes(`"message":${masked}`))
  })

  test('in an import', async () => {
    const imports = new Imports(() => platform as never)
    onTestFinished(() => imports.end())
    const line = JSON.stringify(message('imported', 1, 'ann', { message: '?' })).replace('"?"', content)
    const room = `{"type":"room","_id":"imported","roomType":"group","owner":"ann","slowModeS":1.0,"extParams":${content}}`
    const member = '{"type":"membership","room":"imported","user":"ann"}'
    const { code, text } = await imports.run([user('ann'), room, member, line])
    assert.equal(code, 0, text)
    const { token } = (await platform.admin('POST', '/admin/clients', { _id: 'ann', issueAccessToken: true })) as {
      token: string
    }
    const headers = { 'im-client-key': platform.clientKey, 'im-authorization': token, 'im-client-id': 'ann' }
    const rooms = await (await fetch(`${platform.gateway.url}/rooms`, { headers })).text()
    assert.ok(rooms.includes(`"extParams":${content}`), rooms)
    assert.ok(rooms.includes(`"message":${content}`), rooms)
  })
})
