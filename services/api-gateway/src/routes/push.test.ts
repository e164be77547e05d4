import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { pushToClientsSubject } from '@parley/contracts/bus/subjects'
import { findNextCall, markCallTried, queueCalls } from '@parley/db/outgoing-calls'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

suite('push', () => {
  let gateway: TestGateway

  before(async () => {
    gateway = await startTestGateway()
  })
  after(() => gateway.stop())

  suite('POST /push/push2clients', () => {
    test('hands the order to the push service, each client once', async () => {
      const { nats } = gateway.chat.bus
      const orders: Record<string, unknown>[] = []
      const heard = nats.subscribe(pushToClientsSubject(gateway.app), {
        callback: (_error, message) => void orders.push(message.json()),
      })
      await nats.flush()
      const payload = { title: 'Sale', alert: { 'loc-key': 'SALE', 'loc-args': ['x'] }, badge: 0, expiry: 0 }
      const { status, body } = await gateway.admin('POST', '/push/push2clients', { clients: ['a', 'b', 'a'], payload })
      assert.equal(status, 200)
      assert.deepEqual(body, { RC: 0, RM: 'OK', result: {} })
      await nats.flush()
      heard.unsubscribe()
      assert.equal(orders.length, 1)
      const { id, request, ...order } = orders[0] ?? {}
      assert.deepEqual(order, { clients: ['a', 'b'], payload })
      assert.equal(typeof id, 'string')
      assert.equal(typeof request, 'string')
    })

    for (const [what, body, code] of [
      ['clients missing', { payload: {} }, 'MISSING_PARAMETER'],
      ['payload missing', { clients: ['a'] }, 'MISSING_PARAMETER'],
      ['an unknown payload field', { clients: ['a'], payload: { colour: 'red' } }, 'INVALID_REQUEST'],
      ['clients of the wrong type', { clients: 'a', payload: {} }, 'INVALID_REQUEST'],
    ] as const) {
      test(`400 ${code}: ${what}`, async () => {
        const answer = await gateway.admin('POST', '/push/push2clients', body)
        assert.deepEqual([answer.status, answer.body.error.code], [400, code])
      })
    }

    test('401 INVALID_API_KEY', async () => {
      const answer = await gateway.anonymous('POST', '/push/push2clients', { clients: ['a'], payload: {} })
      assert.deepEqual([answer.status, answer.body.error.code], [401, 'INVALID_API_KEY'])
    })
  })

  suite('dead letters', () => {
    const bury = async (app: string): Promise<string> => {
      const _id = `hook_${randomUUID()}`
      const about = { app, kind: 'webhook' as const, lane: `lane of ${_id}`, order: 7, room: 'room', event: 'MESSAGE' }
      await queueCalls(gateway.chat.db, [{ _id, ...about, client: 'alice', data: '{"_id":"m"}', target: 'http://x' }])
      await markCallTried(gateway.chat.db, _id, '500', true)
      return _id
    }

    test('GET /admin/webhooks/failed: the latest first, in pages, of this app alone', async () => {
      const before_ = Date.now()
      const first = await bury(gateway.app)
      await bury('another app')
      await new Promise((resolve) => setTimeout(resolve, 2))
      const second = await bury(gateway.app)
      const { status, body } = await gateway.admin('GET', '/admin/webhooks/failed?limit=1')
      assert.equal(status, 200)
      assert.equal(body.result.totalCount, 2)
      const [{ failedAt, createdAtMS, ...letter }] = body.result.data
      assert.deepEqual(letter, {
        ...{ id: second, kind: 'webhook', roomID: 'room', clientID: 'alice', event: 'MESSAGE', data: { _id: 'm' } },
        ...{ tries: 1, lastError: '500' },
      })
      assert.ok(Date.parse(failedAt) >= before_ && createdAtMS >= before_)
      const next = await gateway.admin('GET', '/admin/webhooks/failed?limit=1&skip=1')
      assert.equal(next.body.result.data[0].id, first)
    })

    test('GET /admin/webhooks/failed: 400 INVALID_QUERY, 401 INVALID_API_KEY', async () => {
      const bad = await gateway.admin('GET', '/admin/webhooks/failed?limit=0')
      assert.deepEqual([bad.status, bad.body.error.code], [400, 'INVALID_QUERY'])
      const anonymous = await gateway.anonymous('GET', '/admin/webhooks/failed')
      assert.deepEqual([anonymous.status, anonymous.body.error.code], [401, 'INVALID_API_KEY'])
    })

    test('POST /admin/webhooks/failed/{id}/retry: the call waits again and is no dead letter any more', async () => {
      const id = await bury(gateway.app)
      const { status, body } = await gateway.admin('POST', `/admin/webhooks/failed/${id}/retry`)
      assert.deepEqual([status, body.result], [200, { id }])
      assert.equal((await findNextCall(gateway.chat.db, `lane of ${id}`))?._id, id)
      assert.ok(await gateway.chat.db.callLanes.findOne({ _id: `lane of ${id}` }))
      const again = await gateway.admin('POST', `/admin/webhooks/failed/${id}/retry`)
      assert.deepEqual([again.status, again.body.error.code], [404, 'WEBHOOK_NOT_FOUND'])
    })

    test('POST /admin/webhooks/failed/{id}/retry: 404 WEBHOOK_NOT_FOUND for that of another app', async () => {
      const id = await bury('another app')
      const answer = await gateway.admin('POST', `/admin/webhooks/failed/${id}/retry`)
      assert.deepEqual([answer.status, answer.body.error.code], [404, 'WEBHOOK_NOT_FOUND'])
    })
  })
})
