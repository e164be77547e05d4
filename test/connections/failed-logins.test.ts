import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { io, type Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { call, connectClient, eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'

interface Ack {
  RC: number
  error?: { code: string }
}
const limit = 10

describe('failed logins', () => {
  let platform: Platform
  let gateways: [RunningService, RunningService]
  let nodes: [RunningService, RunningService]
  let token: string

  beforeAll(async () => {
    platform = await startPlatform()
    const gateway = {
      PARLEY_GATEWAY_TRUSTED_PROXIES: '1',
      PARLEY_GATEWAY_FAILED_LOGINS_PER_ADDRESS: `${limit}`,
    }
    const node = {
      PARLEY_REALTIME_TRUSTED_PROXIES: '1',
      PARLEY_REALTIME_FAILED_LOGINS_PER_ADDRESS: `${limit}`,
    }
    gateways = [await platform.start('api-gateway', gateway), await platform.start('api-gateway', gateway)]
    nodes = [await platform.start('realtime', node), await platform.start('realtime', node)]
    const user = { _id: 'alice', issueAccessToken: true }
    const made = await call(gateways[0].url, 'POST', '/admin/clients', { 'im-api-key': platform.apiKey }, user)
    token = String(made.body.result['token'])
  })
  afterAll(() => platform.stop())

  /** Number of the last address used, since each test needs unused ones. */
  let lastAddress = 0
  const newAddress = () => `192.0.2.${++lastAddress}`
  /** Makes one failing attempt over REST; returns the response. */
  async function fail(address: string, headers: Record<string, string>, path = '/me', gateway = 0): Promise<Response> {
    const url = (gateways[gateway] as RunningService).url + path
    return fetch(url, { headers: { 'x-forwarded-for': address, ...headers } })
  }
  const wrongToken = () => ({ 'im-client-key': platform.clientKey, 'im-authorization': randomUUID() })
  const wrongApiKey = () => ({ 'im-api-key': randomUUID() })
  /** Fails until it gets 429; returns the number of 401 before. The rate limit's minute can change once in between. */
  async function failUntilLimited(address: () => string, headers: () => Record<string, string>, path: string) {
    for (let failed = 0; failed <= 2 * limit; failed++) {
      const answer = await fail(address(), headers(), path)
      if (answer.status === 429) return { failed, answer }
      assert.equal(answer.status, 401)
    }
    throw new Error('never limited')
  }
  function socketFrom(address: string, node = 0): Socket {
    const { url } = nodes[node] as RunningService
    const extraHeaders = { 'x-forwarded-for': address }
    return io(url, { transports: ['websocket'], forceNew: true, reconnection: false, extraHeaders })
  }

  for (const [what, headers, path] of [
    ['user tokens', wrongToken, '/me'],
    ['client keys', () => ({ 'im-client-key': randomUUID(), 'im-authorization': token }), '/me'],
    ['API keys', wrongApiKey, '/admin/groups'],
  ] as const) {
    test(`guesses of ${what}: an address with too many failures gets 429 with Retry-After, but valid keys and tokens work`, async () => {
      const address = newAddress()
      const { failed, answer } = await failUntilLimited(() => address, headers, path)
      assert.ok(failed >= limit, `${failed} failures`)
      const body = (await answer.json()) as Ack
      assert.deepEqual([body.RC, body.error?.code], [429, 'TOO_MANY_REQUESTS'])
      const seconds = Number(answer.headers.get('retry-after'))
      assert.ok(seconds >= 1 && seconds <= 60, `Retry-After ${seconds}`)

      const valid = { 'im-client-key': platform.clientKey, 'im-authorization': token }
      assert.equal((await fail(address, valid)).status, 200)
      assert.equal((await fail(address, { 'im-api-key': platform.apiKey }, '/admin/groups')).status, 200)
      const socket = socketFrom(address)
      assert.equal(((await socket.emitWithAck('auth2', token)) as Ack).RC, 0)
      socket.close()
      assert.equal((await fail(newAddress(), headers(), path)).status, 401, 'another address is not limited')
    })
  }

  for (const [method, path, body] of [
    ['DELETE', '/admin/clients/alice/token', {}],
    // The response's form depends on the body, which is read after the key is rejected.
    ['POST', '/admin/clients', { _id: 'bob', issueAccessToken: false, token: 't' }],
  ] as const) {
    test(`${method} ${path} returns it in the bare form`, async () => {
      const address = newAddress()
      const answer = await eventually('a 429', async () => {
        await failUntilLimited(() => address, wrongApiKey, '/admin/groups')
        const limited = await fetch(gateways[0].url + path, {
          method,
          headers: { 'x-forwarded-for': address, 'content-type': 'application/json', ...wrongApiKey() },
          body: JSON.stringify(body),
        })
        return limited.status === 429 ? limited : undefined
      })
      assert.ok(Number(answer.headers.get('retry-after')) >= 1)
      assert.partialDeepStrictEqual(await answer.json(), { error: 'TOO_MANY_REQUESTS' })
    })
  }

  /** Tokens of different users that have just expired. */
  async function expiredTokens(count: number): Promise<string[]> {
    const headers = { 'im-api-key': platform.apiKey }
    const soon = new Date(Date.now() + 3_000).toISOString()
    const made = await Promise.all(
      Array.from({ length: count }, async (_, i) => {
        const user = { _id: `expired-${i}`, issueAccessToken: true, expirationDate: soon }
        const { body } = await call(gateways[0].url, 'POST', '/admin/clients', headers, user)
        return String(body.result['token'])
      }),
    )
    const last = made.at(-1) as string
    await eventually('the last has expired', async () => (await fail(newAddress(), asUser(last))).status === 401)
    return made
  }
  const asUser = (held: string) => ({ 'im-client-key': platform.clientKey, 'im-authorization': held })

  test('expired tokens do not count as guesses: they always get 401, even after guesses from the address', async () => {
    const address = newAddress()
    const expired = await expiredTokens(2 * limit)
    for (const one of [...expired, ...expired]) assert.equal((await fail(address, asUser(one))).status, 401)
    for (const one of expired) {
      const socket = socketFrom(address)
      assert.equal(((await socket.emitWithAck('auth2', one)) as Ack).RC, 401)
      socket.close()
    }
    await failUntilLimited(() => address, wrongToken, '/me')
    for (const gateway of [0, 1]) {
      assert.equal((await fail(address, asUser(expired[0] as string), '/me', gateway)).status, 401)
    }
  })

  for (const [what, headers, path] of [
    ['user token', wrongToken, '/me'],
    ['client key', () => ({ 'im-client-key': randomUUID(), 'im-authorization': token }), '/me'],
    ['API key', wrongApiKey, '/admin/groups'],
  ] as const) {
    test(`a repeated wrong ${what} always gets 401 on every gateway, even after guesses from the address`, async () => {
      const [address, same] = [newAddress(), headers()]
      for (let i = 0; i < 3 * limit; i++) assert.equal((await fail(address, same, path, i % 2)).status, 401)
      await failUntilLimited(() => address, headers, path)
      for (const gateway of [0, 1]) assert.equal((await fail(address, same, path, gateway)).status, 401)
    })
  }

  test("a socket's repeated token is counted once", async () => {
    const address = newAddress()
    for (let i = 0; i < 2 * limit; i++) {
      const socket = socketFrom(address, i % 2)
      assert.equal(((await socket.emitWithAck('auth2', 'wrong')) as Ack).RC, 401)
      socket.close()
    }
    assert.equal((await fail(address, wrongToken())).status, 401)
  })

  test('guesses of tokens and client keys in the URL of the chat page count too', async () => {
    for (const guess of [() => `token=${randomUUID()}`, () => `clientKey=${randomUUID()}`]) {
      const address = newAddress()
      const open = (query: string) => fail(address, {}, `/chat?${query}`)
      const same = guess()
      for (let i = 0; i < 3 * limit; i++) assert.equal((await open(same)).status, 200)
      const refused = await eventually('a 429', async () => {
        const answer = await open(guess())
        return answer.status === 429 ? answer : undefined
      })
      assert.ok(Number(refused.headers.get('retry-after')) >= 1)
      assert.equal((await open(`token=${token}`)).status, 200)
      assert.equal((await open(same)).status, 200)
      const there = await fail(address, wrongToken())
      assert.equal(there.status, 429, 'counted together with those of the API')
    }
  })

  test('a request without a key does not count as a guess', async () => {
    const address = newAddress()
    for (let i = 0; i < 3 * limit; i++) assert.equal((await fail(address, {})).status, 401)
  })

  test('the address added by the proxy counts, not the one that the client claims', async () => {
    const address = newAddress()
    let n = 0
    await failUntilLimited(() => `198.51.100.${++n}, ${address}`, wrongToken, '/me')
    assert.equal((await fail(`${address}, ${newAddress()}`, wrongToken())).status, 401)
  })

  test('all addresses of an IPv6 /64 count as one', async () => {
    let n = 0
    await failUntilLimited(() => `2001:db8:1:2::${++n}`, wrongToken, '/me')
    assert.equal((await fail('2001:db8:1:3::1', wrongToken())).status, 401)
  })

  test('guesses are counted across all gateways and nodes, REST and sockets together', async () => {
    const address = newAddress()
    await eventually('the limit', async () => {
      await failUntilLimited(() => address, wrongToken, '/me')
      const there = await fail(address, wrongToken(), '/me', 1)
      const socket = socketFrom(address, 1)
      const ack = (await socket.emitWithAck('auth2', randomUUID())) as Ack
      socket.close()
      return there.status === 429 && ack.RC === 429
    })
  })

  test('a socket of a blocked address gets 429 and is closed, and stock clients stay away', async () => {
    const address = newAddress()
    await failUntilLimited(() => address, wrongToken, '/me')
    await eventually('it is limited there', async () => {
      const socket = socketFrom(address)
      const errors: unknown[] = []
      socket.on('error', (error) => errors.push(error))
      const closed = new Promise((resolve) => socket.once('disconnect', resolve))
      const ack = (await socket.emitWithAck('auth2', randomUUID())) as Ack
      if (ack.RC !== 429) return socket.close()
      assert.equal(await closed, 'io server disconnect')
      assert.partialDeepStrictEqual(errors, [{ RC: 429, error: { code: 'TOO_MANY_REQUESTS' } }])
      return true
    })
  })

  test('three failed logins close a socket; a successful one resets the count', async () => {
    const socket = socketFrom(newAddress())
    const auth2 = async (token: string) => ((await socket.emitWithAck('auth2', token)) as Ack).RC
    const closed = new Promise((resolve) => socket.once('disconnect', resolve))
    for (const RC of [401, 401]) assert.equal(await auth2('wrong'), RC)
    assert.equal(await auth2(token), 0)
    for (const RC of [401, 401]) assert.equal(await auth2('wrong'), RC)
    assert.equal(socket.connected, true)
    assert.equal(await auth2('wrong'), 401)
    assert.equal(await closed, 'io server disconnect')
  })

  test('one auth2 of a socket can queue behind the one in flight; more close the socket', async () => {
    const two = await connectClient(nodes[0].url, token)
    assert.deepEqual(
      (await Promise.all([1, 2].map(() => two.emitWithAck('auth2', token) as Promise<Ack>))).map(({ RC }) => RC),
      [0, 0],
    )
    const closed = new Promise((resolve) => two.once('disconnect', resolve))
    // Enough that three are pending at once, even on a busy machine.
    const codes: number[] = []
    const acks = Array.from({ length: 50 }, async () => {
      const { RC, error } = (await two.emitWithAck('auth2', token)) as Ack
      codes.push(RC)
      if (RC !== 0) assert.deepEqual([RC, error?.code], [429, 'TOO_MANY_REQUESTS'])
    })
    assert.equal(await closed, 'io server disconnect')
    assert.ok(codes.includes(429))
    await Promise.allSettled(acks)
  })
})
