import assert from 'node:assert/strict'
import { closePresence, connectPresence, type Presence } from '@parley/presence/connect'
import { createRequestCounts, type RequestCounts } from '@parley/presence/request-counts'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { type Answer, type CallApi, startTestGateway, type TestGateway } from '../test-gateway.ts'

const noLimits = { perApiKey: 0, perUser: 0, perApp: 0, failedLoginsPerAddress: 0 }

describe('rate limits', () => {
  let servers: Servers
  let presence: Presence[]
  let counts: RequestCounts[]
  let gateways: TestGateway[]
  const errors: Error[] = []

  beforeAll(async () => {
    servers = await isolatedServers(['redis'])
    const connect = () => connectPresence(servers.redisUrl, () => undefined)
    presence = [await connect(), await connect()]
    counts = presence.map((one) => createRequestCounts(one, (error) => errors.push(error)))
    const [one, two] = counts as [RequestCounts, RequestCounts]
    const limits = { ...noLimits, perApiKey: 30, perUser: 10 }
    const first = await startTestGateway({ rateLimits: { ...limits, counts: one } })
    gateways = [first, await first.another({ rateLimits: { ...limits, counts: two } })]
  })
  afterAll(async () => {
    await Promise.all(counts.map((count) => count.stop()))
    for (const gateway of gateways.toReversed()) await gateway.stop()
    await Promise.allSettled(presence.map(closePresence))
    await servers.stop()
  })

  function refused({ status, body, headers }: Answer): void {
    assert.deepEqual([status, body.error?.code ?? body.error], [429, 'TOO_MANY_REQUESTS'], JSON.stringify(body))
    const seconds = Number(headers.get('retry-after'))
    assert.ok(seconds >= 1 && seconds <= 60, `Retry-After ${seconds}`)
  }
  /** Waits, if need be, so that the following requests fall into one minute. */
  async function withinOneMinute(): Promise<void> {
    const left = () => 60_000 - (Date.now() % 60_000)
    while (left() < 15_000) await new Promise((resolve) => setTimeout(resolve, 500))
  }

  test('per user across all gateways: 429 TOO_MANY_REQUESTS with Retry-After; other users are unaffected', async () => {
    await withinOneMinute()
    const [one, two] = gateways as [TestGateway, TestGateway]
    const alice = await one.newUser('alice')
    const bob = await one.newUser('bob')
    for (let i = 0; i < 6; i++) assert.equal((await alice.call('GET', '/me/badge')).status, 200)
    await counts[0]?.share()
    const headers = { 'im-client-key': two.clientKey, 'im-authorization': alice.token }
    const there = () => two.anonymous('GET', '/me/badge', undefined, headers)
    await there()
    await counts[1]?.share()
    const statuses = []
    for (let i = 0; i < 5; i++) statuses.push((await there()).status)
    assert.deepEqual(statuses, [200, 200, 200, 429, 429])
    refused(await there())
    await counts[1]?.share()
    const isRefused = async () => (await alice.call('GET', '/me/badge')).status === 429
    while (!(await isRefused())) await counts[0]?.share()
    refused(await alice.call('GET', '/me/badge'))
    assert.equal((await bob.call('GET', '/me/badge')).status, 200)
  })

  test('per user, whatever their tokens: a new token adds no requests', async () => {
    await withinOneMinute()
    const [one] = gateways as [TestGateway]
    const user = await one.newUser()
    for (let i = 0; i < 8; i++) assert.equal((await user.call('GET', '/me/badge')).status, 200)
    const renewed = await user.call('POST', '/me/token')
    const headers = { 'im-client-key': one.clientKey, 'im-authorization': renewed.body.result.token }
    const call = () => one.anonymous('GET', '/me/badge', undefined, headers)
    assert.equal((await call()).status, 200)
    refused(await call())
    const { token } = await one.newUser(user.id)
    refused(await one.anonymous('GET', '/me/badge', undefined, { ...headers, 'im-authorization': token }))
  })

  test('per app across its users; refused requests of one user do not count for others and API keys', async () => {
    await withinOneMinute()
    const [one] = gateways as [TestGateway]
    const rateLimits = { ...noLimits, counts: counts[0] as RequestCounts, perUser: 5, perApp: 12 }
    const app = await startTestGateway({ rateLimits })
    onTestFinished(() => app.stop())
    const users = [await app.newUser(), await app.newUser(), await app.newUser()]
    const statuses: number[][] = []
    for (const user of users) {
      const own: number[] = []
      for (let i = 0; i < 8; i++) own.push((await user.call('GET', '/me/badge')).status)
      statuses.push(own)
    }
    const served = (count: number) => Array.from({ length: 8 }, (_, i) => (i < count ? 200 : 429))
    assert.deepEqual(statuses, [served(5), served(5), served(2)])
    assert.equal((await app.admin('GET', '/admin/groups')).status, 200)
    assert.equal((await (await one.newUser()).call('GET', '/me/badge')).status, 200, 'of another app')
  })

  test('per API key; bare endpoints return the bare error; requests with an invalid key do not count', async () => {
    await withinOneMinute()
    const [one] = gateways as [TestGateway]
    const asBasic = (path: string, method: 'GET' | 'DELETE' = 'GET') =>
      one.anonymous(method, path, undefined, { 'im-api-key': one.basicKey })
    for (let i = 0; i < 30; i++) assert.equal((await asBasic('/admin/groups')).status, 200)
    refused(await asBasic('/admin/groups'))
    const bare = await asBasic('/admin/clients/alice/token', 'DELETE')
    refused(bare)
    const bound = { _id: 'bound', token: 'x', issueAccessToken: false, expirationDate: '2100-01-01T00:00:00Z' }
    const bareByBody = await one.anonymous('POST', '/admin/clients', bound, { 'im-api-key': one.basicKey })
    refused(bareByBody)
    for (const { body } of [bare, bareByBody]) assert.deepEqual(Object.keys(body).toSorted(), ['error', 'message'])
    refused(await one.anonymous('POST', '/admin/clients', '{', { 'im-api-key': one.basicKey }))
    const wrong = await one.anonymous('GET', '/admin/groups', undefined, { 'im-api-key': 'wrong' })
    assert.equal(wrong.status, 401)
  })

  test('requests that fail for their query, body or IM-CLIENT-ID count', async () => {
    await withinOneMinute()
    const [one] = gateways as [TestGateway]
    const wrong: [status: number, ...Parameters<CallApi>][] = [
      [400, 'GET', '/rooms?limit=x'],
      [400, 'POST', '/badges/byRoomTags', '{'],
      [400, 'POST', '/badges/byRoomTags', { tags: 1 }],
      [401, 'GET', '/rooms', undefined, { 'im-client-id': 'other' }],
    ]
    for (const [status, ...request] of wrong) {
      const user = await one.newUser()
      const answers = []
      for (let i = 0; i < 12; i++) answers.push(await user.call(...request))
      const expected = [...Array.from({ length: 10 }, () => status), 429, 429]
      assert.deepEqual(
        answers.map((answer) => answer.status),
        expected,
        request[1],
      )
      refused(answers[11] as Answer)
    }
  })

  test('a valid token with a missing or foreign IM-CLIENT-ID is not a failed login of its address', async () => {
    await withinOneMinute()
    const [one] = gateways as [TestGateway]
    const rateLimits = { ...noLimits, counts: counts[0] as RequestCounts, failedLoginsPerAddress: 3 }
    const limited = await one.another({ rateLimits })
    const { token } = await one.newUser()
    const headers = { 'im-client-key': one.clientKey, 'im-authorization': token }
    const statuses = async (times: number, more: Record<string, string>) => {
      const seen = []
      for (let i = 0; i < times; i++) {
        seen.push((await limited.anonymous('GET', '/rooms', undefined, { ...headers, ...more })).status)
      }
      return seen
    }
    const unauthenticated = Array.from({ length: 10 }, () => 401)
    assert.deepEqual(
      await statuses(10, {}),
      Array.from({ length: 10 }, () => 400),
    )
    assert.deepEqual(await statuses(10, { 'im-client-id': 'other' }), unauthenticated)
    assert.deepEqual(await statuses(10, { 'im-authorization': 'wrong' }), unauthenticated)
    await limited.stop()
  })

  test('without Redis, requests are served and each gateway counts on its own', async () => {
    await withinOneMinute()
    const [one] = gateways as [TestGateway]
    const carl = await one.newUser('carl')
    await servers.redis.kill()
    const statuses = []
    for (let i = 0; i < 12; i++) statuses.push((await carl.call('GET', '/me/badge')).status)
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 200), 429, 429])
    while (errors.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  })

  test('0 means no limit', async () => {
    const free = await startTestGateway({ rateLimits: { ...noLimits, counts: counts[0] as RequestCounts } })
    const user = await free.newUser('x')
    for (let i = 0; i < 40; i++) assert.equal((await user.call('GET', '/me/badge')).status, 200)
    await free.stop()
  })
})
