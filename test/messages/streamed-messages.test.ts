import assert from 'node:assert/strict'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type CallbackDouble, startCallback } from '../doubles/callback.ts'
import { call, connectClient, eventually, type Fields, type RunningService } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from '../push/test-push-platform.ts'

interface Heard {
  event: string
  payload: Fields
}

describe('a message that a robot streams', () => {
  let platform: PushPlatform
  let server: CallbackDouble
  let [robot, bob, carol] = ['', '', '']
  let room: string
  let socket: Socket
  const heard: Heard[] = []

  beforeAll(async () => {
    ;[platform, server] = await Promise.all([startPushPlatform(), startCallback()])
    const [node] = await Promise.all([
      platform.start('realtime'),
      platform.startPush({ PUSH_GENERIC: `${server.url}/push` }),
    ])
    robot = await platform.newUser([], { isRobot: true })
    ;[bob, carol] = [await platform.newUser(), await platform.newUser()]
    room = await platform.newRoom([robot, bob, carol])
    socket = await connectClient(node.url, platform.tokenOf(bob))
    socket.onAny((event: string, payload: Fields) => heard.push({ event, payload }))
  })
  afterAll(async () => {
    socket?.close()
    await platform.stop()
    await server.stop()
  })

  const byKey = (gateway: RunningService, path: string, body: object) =>
    call(gateway.url, 'POST', path, { 'im-api-key': platform.apiKey }, body)
  const open = async (gateway = platform.gateway): Promise<string> => {
    const { status, body } = await byKey(gateway, '/messages/stream', { room, sender: robot })
    assert.equal(status, 200, JSON.stringify(body))
    return String(body.result['_id'])
  }
  const stored = async (id: string): Promise<Fields | undefined> => {
    const { data } = await platform.as(carol, 'GET', `/rooms/${room}/messages/v3`)
    return (data as Fields[]).find(({ _id }) => _id === id)
  }
  const updatesOf = (id: string) =>
    heard.filter(({ event, payload }) => event === 'messageUpdated' && payload['_id'] === id)
  const pushesOf = (id: string) => server.calls.filter(({ body }) => body._id === id)
  /** Waits until earlier events have been delivered and pushed, by sending a later message. */
  const allHeard = async () => {
    const last = await platform.send(room, robot)
    await eventually('the last message', () => heard.some(({ payload }) => payload['_id'] === last))
    await eventually('its push', () => pushesOf(last).length === 1)
  }

  test('is live piece by piece, has its partial text in the history, and is updated and pushed once at the end', async () => {
    const id = await open()
    assert.partialDeepStrictEqual(await stored(id), { message: '', streaming: true })
    const append = (body: object) => byKey(platform.gateway, `/messages/${id}/stream`, body)
    assert.equal((await append({ text: 'Once ' })).body.result['length'], 5)
    await append({ text: 'a ', at: 10 })
    await append({ text: 'upon ', at: 5 })
    await eventually('all pieces in the history', async () => (await stored(id))?.['message'] === 'Once upon a ')
    assert.equal((await append({ text: 'time' })).body.result['length'], 16)
    await allHeard()
    assert.deepEqual([updatesOf(id).length, pushesOf(id).length], [0, 0])

    const ended = (await byKey(platform.gateway, `/messages/${id}/stream/end`, {})).body.result
    assert.deepEqual([ended['message'], 'streaming' in ended, 'edited' in ended], ['Once upon a time', false, false])
    await eventually('the update', () => updatesOf(id).length === 1)
    assert.partialDeepStrictEqual(updatesOf(id)[0]?.payload, { message: 'Once upon a time' })
    await eventually('the push', () => pushesOf(id).length === 1)
    assert.deepEqual(pushesOf(id)[0]?.body.pushToClients, [carol])
    await allHeard()
    assert.deepEqual([updatesOf(id).length, pushesOf(id).length], [1, 1])
    const pieces = heard.filter(({ event, payload }) => event === 'ai_streaming' && payload['message'] === id)
    assert.deepEqual(
      pieces.map(({ payload }) => [payload['at'], payload['text']]),
      [
        [0, 'Once '],
        [10, 'a '],
        [5, 'upon '],
        [12, 'time'],
      ],
    )
    assert.equal((await append({ text: '!' })).status, 404)
  })

  test('can be in a thread, with the thread’s event, history and push', async () => {
    const { _id: root } = await platform.as(carol, 'POST', `/rooms/${room}/message`, {
      message: 'root',
      messageType: 'x',
    })
    const wanted = { room, sender: robot, replyTo: root, thread: true }
    const { status, body } = await byKey(platform.gateway, '/messages/stream', wanted)
    assert.deepEqual([status, body.result['threadOf'], body.result['streaming']], [200, root, true])
    const id = String(body.result['_id'])
    await byKey(platform.gateway, `/messages/${id}/stream`, { text: 'In the ' })
    const inThread = async () => {
      const { data } = await platform.as(carol, 'GET', `/messages/${String(root)}/thread`)
      return (data as Fields[]).find(({ _id }) => _id === id)
    }
    await eventually('it is written', async () => (await inThread())?.['message'] === 'In the ')
    assert.equal(await stored(id), undefined)
    await byKey(platform.gateway, `/messages/${id}/stream`, { text: 'thread' })
    const ended = (await byKey(platform.gateway, `/messages/${id}/stream/end`, {})).body.result
    assert.deepEqual([ended['message'], ended['threadOf']], ['In the thread', root])
    await eventually('the push', () => pushesOf(id).length === 1)
    assert.deepEqual(pushesOf(id)[0]?.body.pushToClients, [carol])
    await allHeard()
    assert.deepEqual([updatesOf(id).length, pushesOf(id).length], [1, 1])
    assert.equal(heard.filter(({ event, payload }) => event === 'thread message' && payload['_id'] === id).length, 1)
  })

  test('is ended by another gateway if its gateway is killed', async () => {
    const dying = await platform.start('api-gateway', { PARLEY_GATEWAY_STREAM_SILENCE_MS: '5000' })
    const id = await open(dying)
    await byKey(dying, `/messages/${id}/stream`, { text: 'half a th' })
    await dying.kill()
    await eventually('it ends', async () => !('streaming' in ((await stored(id)) ?? { streaming: true })))
    assert.equal((await stored(id))?.['message'], 'half a th')
    await eventually('the push', () => pushesOf(id).length === 1)
    await allHeard()
    assert.deepEqual([updatesOf(id).length, pushesOf(id).length], [1, 1])
  })

  test('can only be continued by its robot, and ends when recalled', async () => {
    const id = await open()
    const refused = async (code: string, path: string, body: object, user?: string) => {
      const client = { 'im-client-key': platform.clientKey, 'im-authorization': platform.tokenOf(user ?? '') }
      const headers: Record<string, string> = user === undefined ? { 'im-api-key': platform.apiKey } : client
      const answer = await call(platform.gateway.url, 'POST', path, headers, body)
      assert.partialDeepStrictEqual(answer.body, { error: { code } })
    }
    await refused('INSUFFICIENT_PERMISSIONS', '/messages/stream', { room, sender: bob })
    await refused('INSUFFICIENT_PERMISSIONS', '/messages/stream', { room }, bob)
    await refused('MISSING_PARAMETER', '/messages/stream', { room })
    await refused('INSUFFICIENT_PERMISSIONS', `/messages/${id}/stream`, { text: 'x' }, bob)
    await refused('MESSAGE_TOO_LARGE', `/messages/${id}/stream`, { text: 'x', at: 65_536 })
    await refused('MESSAGE_NOT_FOUND', '/messages/unknown/stream/end', {})

    await platform.as(robot, 'POST', `/messages/${id}/stream`, { text: 'secret' })
    await platform.as(robot, 'POST', `/rooms/${room}/message`, { _id: id, messageType: 'recall' })
    const ended = await platform.as(robot, 'POST', `/messages/${id}/stream/end`, {})
    assert.deepEqual([ended['messageType'], 'message' in ended], ['recall', false])
    await allHeard()
    assert.equal(pushesOf(id).length, 0)
    assert.equal('message' in ((await stored(id)) ?? {}), false)
  })
})
