import assert from 'node:assert/strict'
import { closePresence, connectPresence, type Presence } from '@parley/presence/connect'
import { testServers } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'

describe('a receiver of test calls', () => {
  let gateway: TestGateway
  let other: TestGateway
  let presence: Presence
  beforeAll(async () => {
    const { redisUrl } = await testServers()
    ;[gateway, other, presence] = await Promise.all([
      startTestGateway(),
      startTestGateway(),
      connectPresence(redisUrl, () => undefined),
    ])
  })
  afterAll(async () => {
    await Promise.all([gateway.stop(), other.stop()])
    await closePresence(presence)
  })

  const path = '/admin/webhooks/receivers'
  const open = async (body: object = {}): Promise<{ id: string; path: string; endsAtMS: number }> =>
    (await gateway.admin('POST', path, body)).body.result
  const read = async (id: string, by = gateway) => by.admin('GET', `${path}/${id}`)
  const send = (to: string, body: string, headers: Record<string, string> = {}) =>
    fetch(gateway.url + to, { method: 'POST', headers, body })

  test('records calls of any type, latest first, without credentials, with bodies up to a limit', async () => {
    const receiver = await open()
    const credentials = ['authorization', 'proxy-authorization', 'cookie', 'im-api-key', 'im-authorization']
    const sent = Object.fromEntries(credentials.map((name) => [name, 'secret']))
    const answer = await send(receiver.path, '{"a":1}', { 'webhook-id': 'w1', ...sent })
    assert.deepEqual([answer.status, await answer.json()], [200, {}])
    await send(receiver.path, 'x'.repeat(20_000), { 'content-type': 'text/html' })
    const { count, data, endsAtMS } = (await read(receiver.id)).body.result
    assert.deepEqual([count, endsAtMS], [2, receiver.endsAtMS])
    assert.deepEqual(
      data.map(({ body, isCut }: { body: string; isCut?: boolean }) => [body.length, isCut]),
      [
        [16_384, true],
        [7, undefined],
      ],
    )
    const { headers } = data[1]
    assert.equal(headers['webhook-id'], 'w1')
    assert.ok(!Object.values(headers).includes('secret'), JSON.stringify(headers))
  })

  test('returns the given status, and refuses calls beyond its limit', async () => {
    const receiver = await open({ status: 503 })
    for (let n = 0; n < 101; n++) assert.equal((await send(receiver.path, String(n))).status, 503)
    const { count, data } = (await read(receiver.id)).body.result
    assert.deepEqual([count, data.length, data[0].body], [101, 100, '100'])
    await presence.redis.hset(`{parley}:receiver:${receiver.id}`, 'count', 1_000)
    assert.equal((await send(receiver.path, 'x')).status, 429)
  })

  test('ends with its calls on expiry, when closed, and when five newer ones of the app are open', async () => {
    const [first, second] = [await open({ minutes: 1 }), await open()]
    await send(first.path, 'x')
    for (const name of ['receiver', 'receiver-calls']) {
      const leftMS = await presence.redis.pttl(`{parley}:${name}:${first.id}`)
      assert.ok(leftMS > 0 && leftMS <= 61_000, `${name}: ${leftMS}`)
    }
    assert.equal((await gateway.admin('DELETE', `${path}/${second.id}`)).status, 200)
    assert.equal((await send(second.path, 'x')).status, 404)
    for (let n = 0; n < 5; n++) await open()
    for (const { id, path: address } of [first, second]) {
      assert.equal((await read(id)).body.error.code, 'WEBHOOK_NOT_FOUND')
      assert.equal((await send(address, 'x')).status, 404)
    }
  })

  test('is visible only in its app and scope; bad input is refused', async () => {
    const receiver = await open()
    assert.equal((await read(receiver.id, other)).status, 404)
    assert.equal((await other.admin('DELETE', `${path}/${receiver.id}`)).status, 404)
    assert.equal((await read(receiver.id)).status, 200)
    assert.equal((await send('/webhooks/receivers/rc_none', 'x')).status, 404)
    for (const body of [{ minutes: 0 }, { minutes: 61 }, { status: 100 }, { more: 1 }, []]) {
      assert.equal((await gateway.admin('POST', path, body)).status, 400, JSON.stringify(body))
    }
    assert.equal((await read('rc_none')).status, 400)
  })
})
