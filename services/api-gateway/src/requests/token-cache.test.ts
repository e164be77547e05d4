import assert from 'node:assert/strict'
import { userOrderingKey } from '@parley/chat/events/ordering-keys'
import { digest } from '@parley/db/apps/apps'
import type { OutboxEvent } from '@parley/db/events/documents'
import { insertEntries } from '@parley/db/events/outbox-store'
import { key } from '@parley/db/keys'
import { inTransaction } from '@parley/db/transactions/transaction'
import { testServers } from '@parley/stack/test-servers'
import { afterAll, afterEach, beforeAll, describe, test, vi } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../test-gateway.ts'
import { type NatsProxy, openNatsProxy } from '../test-nats-proxy.ts'

const patient = { timeout: 100_000, interval: 50 }

describe('a token cached by gateways', () => {
  let first: TestGateway
  /** Reaches NATS through a proxy that can be cut. */
  let second: TestGateway
  let proxy: NatsProxy

  beforeAll(async () => {
    proxy = await openNatsProxy((await testServers()).natsUrl)
    first = await startTestGateway()
    second = await first.another({ natsUrl: proxy.url })
  })
  afterEach(() => proxy.mend())
  afterAll(async () => {
    await second.stop()
    await first.stop()
    await proxy.close()
  })

  const opens = async (gateway: TestGateway, token: string): Promise<boolean> => {
    const headers = { 'im-client-key': gateway.clientKey, 'im-authorization': token }
    const { status } = await gateway.anonymous('GET', '/me/badge', undefined, headers)
    assert.ok(status === 200 || status === 401, String(status))
    return status === 200
  }
  /** Whether the gateway accepts a just-used token after its database record is gone. */
  async function caches(gateway: TestGateway): Promise<boolean> {
    const { token } = await first.newUser()
    assert.ok(await opens(gateway, token))
    await first.chat.db.tokens.deleteOne({ _id: key(first.app, digest(token)) })
    return opens(gateway, token)
  }
  const bothCache = async () => {
    for (const gateway of [first, second]) await vi.waitUntil(() => caches(gateway), patient)
  }
  /** Both gateways have just seen the token. */
  async function known(): Promise<TestUser> {
    const user = await first.newUser()
    assert.deepEqual(await Promise.all([opens(first, user.token), opens(second, user.token)]), [true, true])
    return user
  }

  test('is trusted for two seconds after it was read, and no longer', async () => {
    await bothCache()
    const { token } = await known()
    await first.chat.db.tokens.deleteOne({ _id: key(first.app, digest(token)) })
    await vi.waitUntil(async () => !(await opens(first, token)), patient)
    await vi.waitUntil(async () => !(await opens(second, token)), patient)
  })

  const ends: Record<string, (user: TestUser, via: TestGateway) => Promise<{ status: number }>> = {
    'is revoked': ({ id }, via) => via.admin('DELETE', `/admin/clients/${id}/token`, {}),
    'is replaced by a new one': ({ id }, via) =>
      via.admin('POST', '/admin/clients', { _id: id, issueAccessToken: true }),
    'is replaced by an assigned one': ({ id }, via) =>
      via.admin('PUT', `/admin/clients/${id}/token`, {
        token: `of ${id}`,
        expirationDate: new Date(Date.now() + 3_600_000).toISOString(),
      }),
    'belongs to an erased user': ({ id }, via) => via.admin('DELETE', `/admin/clients/${id}`),
  }
  for (const [what, end] of Object.entries(ends)) {
    test(`that ${what} is refused by each at once`, async () => {
      await bothCache()
      for (const via of [first, second, first, second]) {
        const user = await known()
        assert.equal((await end(user, via)).status, 200)
        const after = [await opens(second, user.token), await opens(first, user.token)]
        assert.deepEqual(after, [false, false])
      }
    })
  }

  test('that is revoked during use is refused by each at once', async () => {
    await bothCache()
    for (const via of [first, second]) {
      const user = await known()
      const revoking = { isOver: false }
      const uses = [first, second, first, second].map(async (gateway) => {
        while (!revoking.isOver) await opens(gateway, user.token)
      })
      assert.equal((await via.admin('DELETE', `/admin/clients/${user.id}/token`, {})).status, 200)
      const after = [await opens(first, user.token), await opens(second, user.token)]
      revoking.isOver = true
      await Promise.all(uses)
      assert.deepEqual(after, [false, false])
    }
  })

  test('is refused by a gateway that is cut off from the bus and misses revocations', async () => {
    await bothCache()
    proxy.hold()
    await vi.waitUntil(async () => !(await caches(second)), patient)
    const isForgotten = async () => {
      const { silent } = await first.chat.control.send(first.app, { do: 'revoked', user: 'nobody', tokens: [] })
      return silent.length === 0
    }
    assert.equal(await isForgotten(), false, 'at first it is waited for')
    await vi.waitUntil(isForgotten, patient)
    const user = await known()
    await first.admin('DELETE', `/admin/clients/${user.id}/token`, {})
    assert.deepEqual([await opens(second, user.token), await opens(first, user.token)], [false, false])
    proxy.mend()
    await bothCache()
  })

  test('revoked by a gateway whose event backlog cannot be published is refused by the others after the response', async () => {
    await bothCache()
    const { db } = first.chat
    const user = await known()
    const to = { app: first.app, user: user.id }
    const waits: OutboxEvent = {
      ...{ kind: 'event', id: `for ${user.id}`, to, event: 'myPrefDelete' },
      json: '"theme"',
    }
    await inTransaction(db, (session) =>
      insertEntries(db, [{ orderingKey: userOrderingKey(to), events: [waits] }], session),
    )
    proxy.cut()
    assert.equal((await second.admin('DELETE', `/admin/clients/${user.id}/token`, {})).status, 200)
    assert.deepEqual([await opens(first, user.token), await opens(second, user.token)], [false, false])
  })

  for (const how of ['hold', 'cut'] as const) {
    test(`revoked by a gateway that cannot notify the others (${how}) is refused by them after the response`, async () => {
      await bothCache()
      proxy[how]()
      for (let i = 0; i < 2; i++) {
        const user = await known()
        assert.equal((await second.admin('DELETE', `/admin/clients/${user.id}/token`, {})).status, 200)
        assert.deepEqual([await opens(first, user.token), await opens(second, user.token)], [false, false])
      }
    })
  }
})
