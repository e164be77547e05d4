import assert from 'node:assert/strict'
import { makeApp } from '@parley/local/make-app'
import { MongoClient } from 'mongodb'
import type { Socket } from 'socket.io-client'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { type CallbackDouble, startCallback } from '../doubles/callback.ts'
import {
  call,
  eventually,
  type Fields,
  type Platform,
  type PlatformUser,
  type RunningService,
  startPlatform,
} from '../platform.ts'

const env = { PARLEY_MODERATE_ALLOW_PRIVATE_TARGETS: 'true', PARLEY_MODERATE_TIMEOUT_MS: '10000' }

describe('the hook MODERATE', () => {
  let platform: Platform
  let gateway: RunningService
  let hook: CallbackDouble
  let alice: PlatformUser
  let socket: Socket
  let room: string
  beforeAll(async () => {
    ;[platform, hook] = await Promise.all([startPlatform(), startCallback()])
    gateway = await platform.start('api-gateway', env)
    const node = await platform.start('realtime', env)
    alice = await platform.newUser('alice')
    await platform.newUser('bob')
    socket = await platform.connect(node, alice)
    room = await platform.newRoom(['alice', 'bob'])
  })
  beforeEach(() => {
    hook.calls.length = 0
  })
  afterAll(async () => {
    socket.close()
    await platform.stop()
    await hook.stop()
  })

  const text = (message: unknown = 'hello', more: object = {}) => ({ message, messageType: 'text', ...more })
  const send = (body: object, path = `/rooms/${room}/message`) => call(gateway.url, 'POST', path, alice.headers, body)
  const refused = ({ status, body }: Awaited<ReturnType<typeof call>>) => {
    const { error } = body as unknown as { error: { code: string; message: string } }
    return [status, error.code, error.message]
  }
  const answers = (answer: object | string) => {
    hook.behave = () => ({ body: typeof answer === 'string' ? answer : JSON.stringify(answer) })
  }
  /** Sets the hook to a path, which the gateway and the node then use at once. */
  async function setHook(path: string, more: object = {}): Promise<void> {
    const url = `${hook.url}/${path}`
    answers({ action: 'allow' })
    await platform.admin('POST', '/config', { MODERATE: { url, ...more } })
    const isAsked = () => hook.calls.some((each) => each.path === `/${path}`)
    await send(text('?'))
    assert.ok(isAsked(), 'the gateway asks')
    hook.calls.length = 0
    await socket.emitWithAck('chat message', { room, ...text('?') })
    assert.ok(isAsked(), 'the node asks')
    hook.calls.length = 0
  }

  test('is a URL that the API key can set and read', async () => {
    const set = (MODERATE: unknown) =>
      call(gateway.url, 'POST', '/config', { 'im-api-key': platform.apiKey }, { MODERATE })
    for (const [value, field] of [
      ['x', 'MODERATE'],
      [{ url: 'ftp://x' }, 'MODERATE.url'],
      [{ url: hook.url, unanswered: 'maybe' }, 'MODERATE.unanswered'],
    ] as const) {
      const [status, code, message] = refused(await set(value))
      assert.deepEqual([status, code, String(message).startsWith(`${field}:`)], [400, 'INVALID_BODY', true])
    }
    assert.equal((await set(null)).status, 200)
    await setHook('seen')
    assert.deepEqual(Object.keys(await platform.admin('GET', '/config')), ['MODERATE'])
    assert.deepEqual(await alice.call('GET', '/config'), {})
  })

  test("is called, signed, only for users' sends and edits, and can allow, mask and refuse", async () => {
    await setHook('asked')
    const { status, body } = await send(text('first'))
    assert.equal(status, 200)
    const first = body.result
    const [asked] = hook.calls
    const data = { message: 'first', messageType: 'text' }
    assert.deepEqual(asked?.body, {
      ...{ appID: platform.app, clientID: 'alice', roomID: room, event: 'MESSAGE', data },
    })
    const mongo = await MongoClient.connect(platform.servers.mongoUrl)
    const app = await mongo
      .db()
      .collection<{ _id: string; webhookSecret: string }>('apps')
      .findOne({ _id: platform.app })
    await mongo.close()
    const headers = asked?.headers as Record<string, string>
    assert.deepEqual(new Webhook(app?.webhookSecret ?? '').verify(asked?.text ?? '', headers), asked?.body)

    answers({ action: 'mask', text: 'masked' })
    assert.equal((await send(text('bad'))).body.result['message'], 'masked')
    const object = { text: 'bad', colour: 'red' }
    assert.deepEqual((await send(text(object))).body.result['message'], { text: 'masked', colour: 'red' })
    const edit = { _id: first['_id'], message: 'edited' }
    assert.equal((await send(edit)).body.result['message'], 'masked')
    assert.deepEqual(hook.calls.at(-1)?.body.data, { _id: first['_id'], message: 'edited', messageType: 'text' })
    assert.equal(hook.calls.at(-1)?.body.event, 'MESSAGE_UPDATED')
    const inThread = text('bad', { replyTo: first['_id'], thread: true })
    assert.equal((await send(inThread)).body.result['message'], 'masked')
    assert.equal(hook.calls.at(-1)?.body.data.thread, true)

    answers({ action: 'refuse', text: 'Be kind.' })
    const before = await seq()
    assert.deepEqual(refused(await send(text('bad'))), [403, 'MESSAGE_REFUSED', 'Be kind.'])
    assert.deepEqual(refused(await send({ ...edit, message: 'bad' })), [403, 'MESSAGE_REFUSED', 'Be kind.'])
    const emitted = await socket.emitWithAck('chat message', { room, ...text('bad') })
    assert.deepEqual([emitted.RC, emitted.error.code, emitted.error.message], [403, 'MESSAGE_REFUSED', 'Be kind.'])
    assert.equal(await seq(), before)
    await alice.call('POST', '/scheduled', { room, ...text('bad'), sendAtMS: Date.now() + 1_000 })
    const waiting = async () => (await alice.call('GET', '/scheduled'))['data'] as { refused?: { code: string } }[]
    await eventually(
      'it is refused when it is due',
      async () => (await waiting())[0]?.refused?.code === 'MESSAGE_REFUSED',
    )

    const asks = hook.calls.length
    await platform.admin('POST', '/messages', { room, sender: 'alice', ...text('of the integrator') })
    await platform.admin('POST', `/rooms/${room}/message`, { sender: 'alice', ...text('of the integrator') })
    assert.deepEqual((await send(text('x'), '/rooms/none/message')).status, 404)
    assert.deepEqual((await send({ _id: first['_id'], messageType: 'recall' })).status, 200)
    assert.equal(hook.calls.length, asks)
  })

  test('can be tried with an API key, which returns the response and its duration without sending', async () => {
    const attempt = () => platform.admin('POST', '/admin/moderation/try', { text: 'bad', sender: 'alice', room })
    await setHook('tried')
    answers({ action: 'mask', text: '***' })
    const before = await seq()
    const { action, text: shown, durationMS } = await attempt()
    assert.deepEqual([action, shown, typeof durationMS, await seq()], ['mask', '***', 'number', before])
    assert.deepEqual(hook.calls.at(-1)?.body.data, { message: 'bad', messageType: 'text' })
    await platform.admin('POST', '/config', { MODERATE: null })
    assert.equal((await attempt())['action'], 'none')
  })

  test('is called for other texts of users: captions, reactions, typing, and room names and descriptions', async () => {
    await setHook('shown')
    const group = await platform.newRoom(['alice', 'bob'], { owner: 'alice' })
    const _id = String((await send(text('hello'))).body.result['_id'])
    answers({ action: 'mask', text: 'masked' })
    const caption = await send({
      message: { url: 'https://x/y.png', caption: 'bad', title: 'bad' },
      messageType: 'image',
    })
    assert.deepEqual(caption.body.result['message'], { url: 'https://x/y.png', caption: 'masked' })
    const reacted = await alice.call('POST', `/messages/${_id}/reaction`, { reaction: 'bad' })
    assert.deepEqual(reacted['reactions'], [{ client: 'alice', reaction: 'masked' }])
    const named = await alice.call('PUT', `/rooms/${group}`, { name: 'bad', description: 'bad' })
    assert.deepEqual([named['name'], named['description']], ['masked', 'masked'])
    assert.equal((await socket.emitWithAck('typing', { room, message: 'bad' })).RC, 0)
    assert.deepEqual(
      hook.calls.map(({ body }) => [body.event, body.data.messageType]),
      [
        ['MESSAGE', 'text'],
        ['MESSAGE', 'image'],
        ['REACTION', 'reaction'],
        ['ROOM', 'name'],
        ['ROOM', 'description'],
        ['TYPING', 'typing'],
      ],
    )
    answers({ action: 'refuse', text: 'Be kind.' })
    const refuses = async (method: string, path: string, body: object) =>
      refused(await call(gateway.url, method, path, alice.headers, body))
    const bad = [403, 'MESSAGE_REFUSED', 'Be kind.']
    assert.deepEqual(await refuses('POST', `/messages/${_id}/reaction`, { reaction: 'worse' }), bad)
    assert.deepEqual(await refuses('PUT', `/rooms/${group}`, { name: 'bad' }), bad)
    assert.deepEqual(await refuses('POST', `/rooms/${room}/typing`, { message: 'bad' }), bad)
    assert.equal((await socket.emitWithAck('typing', { room, message: 'bad' })).RC, 403)
  })

  test('is not called for a retried send, which returns the first message', async () => {
    await setHook('repeated', { unanswered: 'refuse' })
    const body = text('once', { clientMessageID: 'once' })
    const first = await send(body)
    answers({ action: 'refuse' })
    const again = await send(body)
    assert.deepEqual([again.status, again.body.result['_id']], [200, first.body.result['_id']])
    assert.equal(hook.calls.length, 1)
  })

  test("with a failed or invalid response lets the message through or causes 503, by the app's setting", async () => {
    for (const [unanswered, wanted] of [
      ['allow', 200],
      ['refuse', 503],
    ] as const) {
      await setHook(`fails ${unanswered}`.replace(' ', '-'), { unanswered })
      for (const behaviour of ['reset', { status: 500 }, { body: '{"action":"perhaps"}' }, { body: 'x' }] as const) {
        hook.behave = () => behaviour
        assert.equal((await send(text(JSON.stringify(behaviour)))).status, wanted, JSON.stringify(behaviour))
      }
      assert.equal(hook.calls.length, 4)
    }
  })

  test('that hangs uses only its own app’s slots, and is soon rarely called', async () => {
    await setHook('hangs')
    const hanging = Array.from({ length: 100 }, () => undefined)
    hook.behave = ({ path }) => (path === '/hangs' ? 'hang' : { body: '{"action":"mask","text":"of the other app"}' })
    let waiting = hanging.length
    const held = hanging.map(() => send(text('held')).finally(() => waiting--))
    await eventually('all hang', () => hook.calls.length === hanging.length)
    assert.equal((await send(text('no place'))).status, 200)

    const other = await makeApp(platform.servers.mongoUrl, `other than ${platform.app}`)
    const admin = async (path: string, body: object): Promise<Fields> =>
      (await call(gateway.url, 'POST', path, { 'im-api-key': other.apiKey }, body)).body.result
    await admin('/config', { MODERATE: { url: `${hook.url}/other` } })
    const token = String((await admin('/admin/clients', { _id: 'alice', issueAccessToken: true }))['token'])
    const theirs = String((await admin('/rooms/', { roomType: 'group', members: ['alice'] }))['_id'])
    const headers = { 'im-client-key': other.clientKey, 'im-authorization': token, 'im-client-id': 'alice' }
    const sent = await call(gateway.url, 'POST', `/rooms/${theirs}/message`, headers, text())
    assert.equal(sent.body.result['message'], 'of the other app')
    assert.equal(waiting, hanging.length, 'the first app still waits')

    assert.deepEqual(new Set((await Promise.all(held)).map(({ status }) => status)), new Set([200]))
    const asked = hook.calls.length
    const after = await Promise.all(hanging.map(() => send(text('after'))))
    assert.deepEqual(new Set(after.map(({ status }) => status)), new Set([200]))
    assert.ok(hook.calls.length <= asked + 2, `${hook.calls.length} calls after ${asked}`)
  })

  test('with `directory` also covers user names; without a response the search returns 503', async () => {
    const bob = await platform.newUser('bob 2')
    await platform.admin('POST', '/config', { directory: { url: `${hook.url}/directory` } })
    const search = () => call(gateway.url, 'GET', '/users/search?q=x&limit=5', alice.headers)
    const found = async () => ((await search()).body.result?.['data'] as Fields[] | undefined)?.map(({ _id }) => _id)
    answers({ data: [bob.id, 'unknown', 'alice', 'bob'] })
    assert.deepEqual(await found(), [bob.id, 'bob'])
    const question = { appID: platform.app, clientID: 'alice', event: 'USER_SEARCH', q: 'x', limit: 5 }
    assert.deepEqual(hook.calls.at(-1)?.body, question)
    const start = (members: string[]) => call(gateway.url, 'POST', '/me/rooms', alice.headers, { members })
    answers({ data: ['bob'] })
    assert.deepEqual([(await start(['bob'])).status, (await start([bob.id])).status], [200, 404])
    assert.deepEqual(hook.calls.at(-1)?.body, {
      ...{ appID: platform.app, clientID: 'alice', event: 'CHAT_START', members: [bob.id] },
    })
    for (const answer of [{ data: 'bob' }, { users: ['bob'] }, 'x']) {
      answers(answer)
      assert.equal((await search()).status, 503, JSON.stringify(answer))
    }
    await platform.admin('DELETE', '/config/directory')
  })

  async function seq(): Promise<number> {
    const page = await alice.call('GET', `/rooms/${room}/messages/v3?limit=1`)
    return page['totalCount'] as number
  }
})
