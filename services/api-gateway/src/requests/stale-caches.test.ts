import assert from 'node:assert/strict'
import { noHookCalls } from '@parley/chat/ports'
import { key } from '@parley/db/keys'
import { testServers } from '@parley/stack/test-servers'
import { afterAll, afterEach, beforeAll, describe, test, vi } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../test-gateway.ts'
import { type NatsProxy, openNatsProxy } from '../test-nats-proxy.ts'

const patient = { timeout: 100_000, interval: 50 }

describe('cached by gateways,', () => {
  let first: TestGateway
  /** Reaches NATS through a proxy that can be cut. */
  let second: TestGateway
  let proxy: NatsProxy
  let alice: TestUser
  let room: string

  beforeAll(async () => {
    proxy = await openNatsProxy((await testServers()).natsUrl)
    const hookCalls = { ...noHookCalls, call: async () => '{"action":"refuse"}', answered: () => undefined }
    first = await startTestGateway({ hookCalls })
    second = await first.another({ natsUrl: proxy.url, hookCalls })
    alice = await first.newUser('alice')
    room = await first.newRoom([alice])
  })
  afterEach(() => proxy.mend())
  afterAll(async () => {
    await second.stop()
    await first.stop()
    await proxy.close()
  })

  /** Whether a send through the gateway is refused by the app's server. */
  async function isModerated(gateway: TestGateway): Promise<boolean> {
    const headers = { 'im-client-key': gateway.clientKey, 'im-authorization': alice.token }
    const body = { message: 'hi', messageType: 'text' }
    const { status } = await gateway.anonymous('POST', `/rooms/${room}/message`, body, headers)
    assert.ok(status === 200 || status === 403, String(status))
    return status === 403
  }
  const moderate = async (via: TestGateway, isOn: boolean) => {
    const MODERATE = isOn ? { url: 'https://moderate.example' } : null
    assert.equal((await via.admin('POST', '/config', { MODERATE })).status, 200)
  }
  const config = () => first.chat.db.config
  /** Whether the gateway still moderates after the database record is gone. */
  async function caches(gateway: TestGateway): Promise<boolean> {
    await moderate(first, true)
    assert.equal(await isModerated(gateway), true)
    await config().deleteOne({ _id: key(first.app, 'MODERATE') })
    return isModerated(gateway)
  }
  const bothCache = async () => {
    for (const gateway of [first, second]) await vi.waitUntil(() => caches(gateway), patient)
  }
  const both = () => Promise.all([isModerated(second), isModerated(first)])

  test('a configuration is in effect on each once its change is acknowledged', async () => {
    await bothCache()
    for (const via of [first, second, first, second]) {
      await moderate(via, true)
      assert.deepEqual(await both(), [true, true])
      await moderate(via, false)
      assert.deepEqual(await both(), [false, false])
      await moderate(via, true)
      await both()
      assert.equal((await via.admin('DELETE', '/config/MODERATE')).status, 200)
      assert.deepEqual(await both(), [false, false])
    }
  })

  test('a configuration is not used by a gateway that is cut off from the bus and misses changes', async () => {
    await bothCache()
    proxy.hold()
    await vi.waitUntil(async () => !(await caches(second)), patient)
    for (const isOn of [true, false, true]) {
      await moderate(first, isOn)
      assert.deepEqual(await both(), [isOn, isOn])
    }
    proxy.mend()
    await bothCache()
  })

  for (const how of ['hold', 'cut'] as const) {
    test(`a configuration changed by a gateway that cannot notify the others (${how}) is in effect on them after the response`, async () => {
      await bothCache()
      await moderate(first, false)
      assert.deepEqual(await both(), [false, false])
      proxy[how]()
      await moderate(second, true)
      assert.deepEqual(await both(), [true, true])
    })
  }

  test('a profile is that of the last acknowledged change in every message event', async () => {
    await bothCache()
    await moderate(first, false)
    const heard = await first.hear()
    const send = async (via: TestGateway) => {
      const { body } = await via.admin('POST', '/messages', {
        room,
        sender: 'alice',
        message: 'hi',
        messageType: 'text',
      })
      const { payload } = await heard.next('chat message', ({ _id }: { _id: string }) => _id === body.result._id)
      return (payload as { sender: { nickname: string } }).sender.nickname
    }
    const changes: Record<string, (via: TestGateway, nickname: string) => Promise<{ status: number }>> = {
      one: (via, nickname) => via.admin('POST', '/admin/clients', { _id: 'alice', nickname }),
      list: (via, nickname) => via.admin('POST', '/admin/clients/list', { data: [{ _id: 'alice', nickname }] }),
    }
    for (const via of [first, second]) {
      for (const [by, change] of Object.entries(changes)) {
        for (const [i, of] of [first, second, first].entries()) {
          const nickname = `${by} ${i} ${via === first}`
          assert.equal((await change(via, nickname)).status, 200)
          assert.deepEqual([await send(of), await send(first), await send(second)], [nickname, nickname, nickname])
        }
      }
    }
  })
})
