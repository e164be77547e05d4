import assert from 'node:assert/strict'
import { type Admin, createAdmin, verifyWebhook } from '@parley/client/admin'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually } from '../platform.ts'
import { callTimeoutMS, startWebhookPlatform, type WebhookPlatform } from '../webhooks/test-webhooks.ts'

describe("the integrator's server with @parley/client/admin", () => {
  let platform: WebhookPlatform
  let admin: Admin
  beforeAll(async () => {
    platform = await startWebhookPlatform()
    await platform.startPush({ PARLEY_PUSH_CALL_TIMEOUT_MS: String(callTimeoutMS) })
    const { url } = await platform.start('api-gateway')
    admin = createAdmin({ url, apiKey: platform.apiKey })
  })
  afterAll(() => platform.stop())

  test('creates users, rooms and messages, with values in the path, the query and the body', async () => {
    const saved = await admin.saveUser({ _id: 'a/b ü', nickname: 'Alice', issueAccessToken: true })
    assert.ok('token' in saved && saved.token)
    const room = await admin.createRoom({ roomType: 'group', members: ['a/b ü'], name: 'Order' })
    await admin.updateRoom({ id: room._id, name: 'Order 4711' })
    const sent = await admin.sendMessage({ room: room._id, sender: 'a/b ü', message: 'Hello', messageType: 'text' })
    const [member] = (await admin.listMembers({ id: room._id, limit: 1 })).data
    assert.deepEqual([member?._id, sent.message], ['a/b ü', 'Hello'])
    const { data } = await admin.listUsers({ q: JSON.stringify({ nickname: 'Alice' }) })
    assert.deepEqual(
      data.map(({ _id }) => _id),
      ['a/b ü'],
    )
    assert.equal((await admin.revokeTokens({ client_id: 'a/b ü' })).revokedTokens, 1)
    await admin.setConfig({ theme: 'dark' })
    assert.deepEqual(await admin.getConfig(), { theme: 'dark' })
  })

  test('rejects with the error code of the interface, from the envelope and the bare form', async () => {
    const message = { sender: 'nobody', message: 'x', messageType: 'text' }
    await assert.rejects(admin.sendMessage({ room: 'none', ...message }), { code: 'ROOM_NOT_FOUND', status: 404 })
    await assert.rejects(admin.revokeTokens({ client_id: 'none' }), { code: 'CLIENT_NOT_FOUND', status: 404 })
    const wrong = createAdmin({ url: 'http://127.0.0.1:1', apiKey: 'x' })
    await assert.rejects(wrong.getConfig(), { code: 'NETWORK_ERROR', status: 0 })
  })

  test('reads the event feed from a cursor, live', async () => {
    const alice = await platform.newUser()
    const room = (await admin.createRoom({ roomType: 'group', members: [alice] }))._id
    const { cursor } = await admin.listEvents()
    const say = (message: string) => admin.sendMessage({ room, sender: alice, message, messageType: 'text' })
    await say('one')
    await say('two')
    const heard: unknown[] = []
    for await (const event of admin.events({ after: cursor, types: ['chat message'] })) {
      if (event.room !== room) continue
      heard.push((event.data as { message: unknown }).message)
      if (heard.length === 2) await say('three')
      if (heard.length === 3) break
    }
    assert.deepEqual(heard, ['one', 'two', 'three'])
  })

  test('verifies webhooks of Parley', async () => {
    const alice = await platform.newUser()
    const { room, calls } = await platform.newHookedRoom([alice])
    await platform.send(room, alice)
    const call = await eventually('its call', () => calls().find(({ body }) => body.event === 'MESSAGE'))
    const secret = `whsec_${Buffer.from(`of ${platform.app}, not a secret`).toString('base64')}`
    const headers = call.headers as Record<string, string>
    assert.equal(verifyWebhook({ secret, headers, body: call.text }).roomID, room)
    const forged = { secret, headers, body: call.text.replace('MESSAGE', 'ROOM') }
    assert.throws(() => verifyWebhook(forged), { code: 'INVALID_SIGNATURE', status: 401 })
  })
})
