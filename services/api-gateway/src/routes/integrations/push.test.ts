import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { proves } from '@parley/conformance/proves'
import { pushToClientsSubject } from '@parley/contracts/bus/subjects'
import { key } from '@parley/db/keys'
import { findNextCall, markCallTried, queueCalls } from '@parley/db/push/outgoing-calls'
import { recordDecisions } from '@parley/db/push/push-decisions'
import { recordPushesDecided } from '@parley/db/push/pushes'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'

describe('push', () => {
  let gateway: TestGateway

  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  test('push/why reports NOT_A_MEMBER only once all pages of members are decided', async () => {
    const { db } = gateway.chat
    const [alice, bob] = [await gateway.newUser(), await gateway.newUser()]
    const room = await gateway.newRoom([alice, bob])
    const message = { room, sender: alice.id, message: 'x', messageType: 'text' }
    const id: string = (await gateway.admin('POST', '/messages', message)).body.result._id
    const content = key(gateway.app, id)
    const of = async () => {
      const { result } = (await gateway.admin('GET', `/admin/push/why?message=${id}&client=${bob.id}`)).body
      return [result.recorded, result.reason]
    }
    await recordDecisions(db, [{ _id: key(content, '0'), at: new Date(), users: { SENDER: [alice.id] } }])
    assert.deepEqual(await of(), [false, 'NO_DEVICE'])
    await recordPushesDecided(db, [content])
    assert.deepEqual(await of(), [true, 'NOT_A_MEMBER'])
  })

  test('devices are listed for the app and for a user, and removed one by one', async () => {
    const [alice, bob] = [await gateway.newUser(), await gateway.newUser()]
    const subscribe = (user: typeof alice, deviceId: string) =>
      user.call('POST', '/me/subscribe', { type: 'ios', token: `${user.id} ${deviceId}`, deviceId, language: 'de' })
    for (const device of ['phone', 'a/b', '😀']) await subscribe(alice, device)
    await subscribe(bob, 'phone')
    const list = async (query: string) => (await gateway.admin('GET', `/admin/push/devices?${query}`)).body.result
    const ids = ({ data }: { data: { deviceId: string }[] }) => data.map(({ deviceId }) => deviceId)
    const first = await list(`client=${alice.id}&limit=2`)
    const second = await list(`client=${alice.id}&limit=2&cursor=${first.cursor}`)
    assert.deepEqual([...ids(first), ...ids(second), second.cursor], ['a/b', 'phone', '😀', undefined])
    const { updatedAt, fingerprint, ...device } = first.data[1]
    assert.deepEqual(device, { client: alice.id, deviceId: 'phone', type: 'ios', language: 'de' })
    assert.ok(Date.parse(updatedAt) > 0)
    assert.match(fingerprint, /^[0-9a-f]{12}$/)
    assert.deepEqual(ids(await list(`client=${bob.id}`)), ['phone'])
    assert.equal((await list('')).data.length, 4)
    // Another user's cursor leads to no devices of theirs.
    assert.deepEqual(
      ids(await list(`client=${alice.id}&cursor=${Buffer.from('["devices","",""]').toString('base64url')}`)),
      ids({
        data: [...first.data, ...second.data],
      }),
    )
    const bad = await gateway.admin('GET', '/admin/push/devices?cursor=x')
    assert.deepEqual([bad.status, bad.body.error.code], [400, 'INVALID_QUERY'])

    const remove = async () => (await gateway.admin('DELETE', `/admin/clients/${alice.id}/devices/a%2Fb`)).body.result
    assert.deepEqual(await remove(), { removed: 1 })
    assert.deepEqual(await remove(), { removed: 0 })
    assert.deepEqual(ids(await list(`client=${alice.id}`)), ['phone', '😀'])
    assert.deepEqual(ids(await list(`client=${bob.id}`)), ['phone'])
    const { data } = (await gateway.admin('GET', `/admin/audit?subject=user:${alice.id}&action=removeDevice`)).body
      .result
    assert.deepEqual(
      data.map(({ before }: { before: unknown }) => before),
      [{ device: 'a/b' }],
    )
  })

  describe('POST /push/push2clients', () => {
    test('passes the push to the push service, once per client', async () => {
      proves('POST /push/push2clients', 'body.clients', 'body.payload', 'result is an empty object')
      const { nats } = gateway.chat.bus
      const pushes: Record<string, unknown>[] = []
      const heard = nats.subscribe(pushToClientsSubject(gateway.app), {
        callback: (_error, message) => void pushes.push(message.json()),
      })
      await nats.flush()
      const payload = { title: 'Sale', alert: { 'loc-key': 'SALE', 'loc-args': ['x'] }, badge: 0, expiry: 0 }
      const { status, body } = await gateway.admin('POST', '/push/push2clients', { clients: ['a', 'b', 'a'], payload })
      assert.equal(status, 200)
      assert.deepEqual(body, { RC: 0, RM: 'OK', result: {} })
      await nats.flush()
      heard.unsubscribe()
      assert.equal(pushes.length, 1)
      const { id, request, ...push } = pushes[0] ?? {}
      assert.deepEqual(push, { clients: ['a', 'b'], payload })
      assert.equal(typeof id, 'string')
      assert.equal(typeof request, 'string')
    })

    for (const [what, body, code] of [
      ['clients missing', { payload: {} }, 'MISSING_PARAMETER'],
      ['payload missing', { clients: ['a'] }, 'MISSING_PARAMETER'],
      ['a payload field of the wrong type', { clients: ['a'], payload: { badge: 'red' } }, 'INVALID_REQUEST'],
      ['clients of the wrong type', { clients: 'a', payload: {} }, 'INVALID_REQUEST'],
    ] as const) {
      test(`400 ${code}: ${what}`, async () => {
        if (code === 'MISSING_PARAMETER') proves('POST /push/push2clients', '400 MISSING_PARAMETER')
        const answer = await gateway.admin('POST', '/push/push2clients', body)
        assert.deepEqual([answer.status, answer.body.error.code], [400, code])
      })
    }

    test('an alert that is neither a text nor an object is refused, naming the expected types', async () => {
      for (const alert of [5, ['k'], { 'loc-args': 'a' }]) {
        const { status, body } = await gateway.admin('POST', '/push/push2clients', {
          clients: ['a'],
          payload: { alert },
        })
        assert.deepEqual([status, body.error.code], [400, 'INVALID_REQUEST'])
        assert.match(body.error.message, /^payload\.alert: expected a text, or an object/)
      }
    })
  })

  describe('dead letters', () => {
    const deadLetter = async (app: string): Promise<string> => {
      const _id = `hook_${randomUUID()}`
      const about = {
        app,
        kind: 'webhook' as const,
        queue: `queue of ${_id}`,
        order: 7,
        room: 'room',
        event: 'MESSAGE',
      }
      await queueCalls(gateway.chat.db, [{ _id, ...about, client: 'alice', data: '{"_id":"m"}', target: 'http://x' }])
      await markCallTried(gateway.chat.db, _id, { lastError: '500', deadWith: '{"_id":"m"}' })
      return _id
    }

    test('GET /admin/webhooks/failed: latest first, in pages, only of this app', async () => {
      const before = Date.now()
      const first = await deadLetter(gateway.app)
      await deadLetter('another app')
      await new Promise((resolve) => setTimeout(resolve, 2))
      const second = await deadLetter(gateway.app)
      const { status, body } = await gateway.admin('GET', '/admin/webhooks/failed?limit=1')
      assert.equal(status, 200)
      assert.equal(body.result.totalCount, 2)
      const [{ failedAt, createdAtMS, ...letter }] = body.result.data
      assert.deepEqual(letter, {
        ...{ id: second, kind: 'webhook', roomID: 'room', clientID: 'alice', event: 'MESSAGE', data: { _id: 'm' } },
        ...{ tries: 1, lastError: '500' },
      })
      assert.ok(Date.parse(failedAt) >= before && createdAtMS >= before)
      const next = await gateway.admin('GET', '/admin/webhooks/failed?limit=1&skip=1')
      assert.equal(next.body.result.data[0].id, first)
    })

    test('GET /admin/webhooks/failed: 400 INVALID_QUERY, 401 INVALID_API_KEY', async () => {
      const bad = await gateway.admin('GET', '/admin/webhooks/failed?limit=0')
      assert.deepEqual([bad.status, bad.body.error.code], [400, 'INVALID_QUERY'])
      const anonymous = await gateway.anonymous('GET', '/admin/webhooks/failed')
      assert.deepEqual([anonymous.status, anonymous.body.error.code], [401, 'INVALID_API_KEY'])
    })

    test('POST /admin/webhooks/failed/{id}/retry: the call is queued again and removed from the dead letters', async () => {
      const id = await deadLetter(gateway.app)
      const { status, body } = await gateway.admin('POST', `/admin/webhooks/failed/${id}/retry`)
      assert.deepEqual([status, body.result], [200, { id }])
      assert.equal((await findNextCall(gateway.chat.db, `queue of ${id}`))?._id, id)
      assert.ok(await gateway.chat.db.callQueues.findOne({ _id: `queue of ${id}` }))
      const again = await gateway.admin('POST', `/admin/webhooks/failed/${id}/retry`)
      assert.deepEqual([again.status, again.body.error.code], [404, 'WEBHOOK_NOT_FOUND'])
    })

    test('a retry that failed halfway can be repeated: the call is not lost', async () => {
      const { db } = gateway.chat
      const queuesMust = (validator: object) => db.mongo.command({ collMod: 'callQueues', validator })
      const ids = [await deadLetter(gateway.app), await deadLetter(gateway.app), await deadLetter(gateway.app)]
      for (const [i, id] of ids.entries()) {
        const [path, body] = [
          [`/admin/webhooks/failed/${id}/retry`],
          [`/admin/webhooks/calls/${id}/retry`],
          ['/admin/webhooks/calls/retry', { since: 0, room: 'room' }],
        ][i] as [string, unknown?]
        await queuesMust({ never: { $exists: true } })
        await db.callQueues.deleteOne({ _id: `queue of ${id}` })
        assert.equal((await gateway.admin('POST', path, body)).status, 500)
        await queuesMust({})
        const repeated = await gateway.admin('POST', path, body)
        assert.equal(repeated.status, 200, JSON.stringify(repeated.body))
        assert.equal((await findNextCall(db, `queue of ${id}`))?._id, id)
        assert.equal((await db.callQueues.findOne({ _id: `queue of ${id}` }))?.target, 'http://x')
      }
    })

    test('POST /admin/webhooks/calls/retry: an invalid period is 400 INVALID_REQUEST, naming the field', async () => {
      for (const [period, field] of [
        [{ since: 'x' }, 'since'],
        [{ since: 0, until: '2026-02-30' }, 'until'],
        [{ since: 2, until: 1 }, 'until'],
      ] as const) {
        const { status, body } = await gateway.admin('POST', '/admin/webhooks/calls/retry', period)
        assert.deepEqual([status, body.error.code], [400, 'INVALID_REQUEST'], JSON.stringify(period))
        assert.match(body.error.message, new RegExp(`^${field}: `))
      }
    })

    test('POST /admin/webhooks/failed/{id}/retry: 404 WEBHOOK_NOT_FOUND in another app', async () => {
      const id = await deadLetter('another app')
      const answer = await gateway.admin('POST', `/admin/webhooks/failed/${id}/retry`)
      assert.deepEqual([answer.status, answer.body.error.code], [404, 'WEBHOOK_NOT_FOUND'])
    })
  })
})
