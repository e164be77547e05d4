import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type CallToQueue, queueCalls, targetOf } from '@parley/db/push/outgoing-calls'
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest'
import { type CallbackDouble, startCallback } from '../doubles/callback.ts'
import { eventually, type RunningService } from '../platform.ts'
import { startWebhookPlatform, type WebhookPlatform } from '../webhooks/test-webhooks.ts'

/** Maximum calls in flight per kind and server. */
const maxPerTarget = 100
const hour = 3_600_000

describe('while many calls to one server wait', () => {
  let platform: WebhookPlatform
  let server: CallbackDouble
  let push: RunningService
  let alice: string
  let bob: string

  beforeAll(async () => {
    ;[platform, server] = await Promise.all([startWebhookPlatform(), startCallback()])
    alice = await platform.newUser()
    bob = await platform.newUser()
  })
  afterAll(async () => {
    await platform.stop()
    await server.stop()
  })
  afterEach(async () => {
    await push.kill()
    await Promise.all([platform.db.outgoingCalls.deleteMany({}), platform.db.callQueues.deleteMany({})])
    server.calls = []
    server.behave = () => undefined
    platform.hooks.behave = () => undefined
  })

  const startPush = async () => {
    // Long enough that no call times out.
    const env = { PUSH_GENERIC: `${server.url}/push`, PARLEY_PUSH_CALL_TIMEOUT_MS: '100000' }
    push = await platform.startPush(env)
  }
  /** Queues calls that are due earlier than any later ones. */
  async function pile(count: number, call: Pick<CallToQueue, 'kind' | 'room' | 'event' | 'target'>): Promise<void> {
    const data = JSON.stringify({ sender: { _id: alice }, pushToClients: [bob] })
    const calls = Array.from({ length: count }, () => {
      const _id = randomUUID()
      return { ...call, _id, queue: _id, order: 0, app: platform.app, client: alice, data }
    })
    await queueCalls(platform.db, calls)
    await platform.db.callQueues.updateMany({}, { $inc: { dueAtMS: -60_000 } })
  }
  const pushes = async (count = 3_000) => {
    const room = await platform.newRoom([alice, bob])
    await pile(count, { kind: 'push', room, event: 'PUSH', target: targetOf('push', server.url) })
  }
  const waitingPushes = () => platform.db.outgoingCalls.countDocuments({ kind: 'push', state: 'waiting' })

  test('and it hangs, room webhooks at another server are called, and its calls in flight stay within its share', async () => {
    server.behave = () => 'hang'
    await pushes()
    await startPush()
    const { room, calls } = await platform.newHookedRoom([alice, bob])
    await platform.send(room, alice, { message: 'x' })
    await eventually('the call', () => calls().some(({ body }) => body.data.message === 'x'))
    assert.ok((await waitingPushes()) >= 3_000)
    assert.ok(server.calls.length <= maxPerTarget)
  })

  test('and it is slow, room webhooks at another server are called before its backlog is done', async () => {
    server.behave = () => ({ lateMS: 250 })
    await pushes()
    await startPush()
    const { room, calls } = await platform.newHookedRoom([alice, bob])
    await platform.send(room, alice, { message: 'x' })
    await eventually('the call', () => calls().some(({ body }) => body.data.message === 'x'))
    assert.ok((await waitingPushes()) > 0, 'before the backlog is done')
  })

  test('and it is down, the calls share attempts, other servers are called, and all arrive once it is back', async () => {
    server.behave = () => ({ status: 503 })
    await pushes(600)
    await startPush()
    await eventually('it is noticed', () =>
      readFileSync(push.logFile, 'utf8').includes('server of an integrator is down: its calls wait'),
    )
    // Two retries take seconds, in which separate attempts would be many.
    const { room, calls } = await platform.newHookedRoom([alice, bob])
    platform.hooks.behave = () => (calls().length < 3 ? { status: 503 } : undefined)
    await platform.send(room, alice, { message: 'x' })
    await eventually('the call', () => calls().some(({ status }) => status === 200))
    const failed = server.calls.length
    assert.ok(failed < maxPerTarget + 20, `${failed} attempts`)
    server.behave = () => undefined
    await eventually('all arrive', async () => (await waitingPushes()) === 0)
    const accepted = server.calls.flatMap(({ status, headers }) => (status === 200 ? [headers['webhook-id']] : []))
    assert.ok(accepted.length >= 600, `${accepted.length} accepted`)
    assert.equal(new Set(accepted).size, accepted.length, 'none twice')
  })

  test('and it has been down for the retry period, they are given up without an attempt for each', async () => {
    server.behave = () => ({ status: 503 })
    await pushes(600)
    await platform.db.outgoingCalls.updateMany({}, { $inc: { createdAtMS: -2 * hour } })
    await platform.db.callQueues.updateMany({}, { $set: { failures: 3, failingSinceMS: Date.now() - 2 * hour } })
    await startPush()
    await eventually('none waits', async () => (await waitingPushes()) === 0)
    assert.equal(await platform.db.outgoingCalls.countDocuments({ state: 'failed', lastError: '503' }), 600)
    assert.ok(server.calls.length < maxPerTarget + 20, `${server.calls.length} attempts`)
    await eventually('no queue is left', async () => (await platform.db.callQueues.countDocuments({})) === 0)
  })

  test('room webhooks at the same server are called, since each kind has its own share', async () => {
    server.behave = ({ path }) => (path === '/push' ? 'hang' : undefined)
    await pushes()
    await startPush()
    await eventually('it hangs', () => server.calls.length === maxPerTarget, 40)
    const room = await platform.newRoom([alice, bob], { webhook: `${server.url}/hook` })
    await platform.send(room, alice, { message: 'x' })
    const hooked = () => server.calls.filter(({ path }) => path === '/hook')
    await eventually('the call', () => hooked().some(({ body }) => body.data?.message === 'x'))
    assert.equal(server.calls.length - hooked().length, maxPerTarget)
  })

  test('PUSH_GENERIC and webhooks at other servers are called while webhooks at one server hang', async () => {
    platform.hooks.behave = () => 'hang'
    const { room: hanging } = await platform.newHookedRoom([alice, bob])
    const target = targetOf('webhook', platform.hooks.url)
    await pile(1_000, { kind: 'webhook', room: hanging, event: 'ROOM', target })
    await startPush()
    await eventually('it hangs', () => platform.hooks.calls.length >= maxPerTarget)
    const room = await platform.newRoom([alice, bob], { webhook: `${server.url}/hook` })
    await platform.send(room, alice, { message: 'x' })
    for (const path of ['/push', '/hook']) {
      await eventually(path, () => server.calls.some((call) => call.path === path))
    }
  })
})
