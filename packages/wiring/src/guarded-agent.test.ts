import assert from 'node:assert/strict'
import dns, { type LookupAddress, type LookupAllOptions } from 'node:dns'
import { createServer } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { createGuardedAgent, isPublic, TargetRefused } from './guarded-agent.ts'

describe('calls to integrators reach only the public Internet', () => {
  const special = {
    loopback: ['127.0.0.1', '127.8.8.8', '::1'],
    private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12::1'],
    'link-local, such as cloud metadata': ['169.254.169.254', 'fe80::1'],
    'IPv4 inside IPv6': ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::1'],
    'reserved or multicast': [
      '0.0.0.0',
      '::',
      '255.255.255.255',
      '100.64.0.1',
      '224.0.0.1',
      'ff02::1',
      '240.0.0.1',
      '192.0.2.1',
    ],
  }
  for (const [kind, addresses] of Object.entries(special)) {
    test(`not addresses that are ${kind}`, () => {
      assert.deepEqual(addresses.filter(isPublic), [])
    })
  }

  test('any public address is allowed', () => {
    assert.deepEqual(['8.8.8.8', '93.184.215.14', '2606:4700::1111'].filter(isPublic).length, 3)
    assert.equal(isPublic('example.org'), false, 'a name is not an address')
  })

  describe('the connected address decides', () => {
    const server = createServer((incoming, response) => {
      seen.push(incoming.url ?? '')
      response.writeHead(302, { location: `http://127.0.0.1:${port()}/redirected` }).end()
    })
    const seen: string[] = []
    const port = () => (server.address() as AddressInfo).port
    beforeAll(async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      server.listen(0, '127.0.0.1', resolve)
      await promise
    })
    afterAll(() => server.close())

    for (const host of ['127.0.0.1', 'localhost', '0x7f.1', '[::ffff:7f00:1]']) {
      test(`${host} is refused`, async () => {
        const agent = createGuardedAgent({ allowPrivate: false, timeoutMS: 60_000, connections: 1 })
        const error = await request(`http://${host}:${port()}/refused`, { dispatcher: agent }).catch((e: Error) => e)
        assert.ok(error instanceof TargetRefused)
        await agent.close()
        assert.ok(!seen.includes('/refused'))
      })
    }

    test('with loopback allowed, calls reach only loopback', async () => {
      const agent = createGuardedAgent({ allowPrivate: 'loopback', timeoutMS: 60_000, connections: 1 })
      for (const host of ['127.0.0.1', 'localhost']) {
        const { statusCode, body } = await request(`http://${host}:${port()}/here`, { dispatcher: agent })
        await body.dump()
        assert.equal(statusCode, 302, host)
      }
      for (const host of ['10.0.0.1', '192.168.1.1', '169.254.169.254', '8.8.8.8', '[fe80::1]', '0.0.0.0']) {
        const error = await request(`http://${host}:${port()}/`, { dispatcher: agent }).catch((e: Error) => e)
        assert.ok(error instanceof TargetRefused, host)
      }
      await agent.close()
      seen.length = 0
    })

    test('redirects are not followed', async () => {
      const agent = createGuardedAgent({ allowPrivate: true, timeoutMS: 60_000, connections: 1 })
      const { statusCode, body } = await request(`http://127.0.0.1:${port()}/first`, { dispatcher: agent })
      await body.dump()
      assert.equal(statusCode, 302)
      assert.deepEqual(seen, ['/first'])
      await agent.close()
    })
  })
})

describe('a name with silent DNS servers', () => {
  type Answer = (error: Error | null, found: LookupAddress[]) => void
  const silent: Answer[] = []
  const { lookup } = dns
  beforeAll(() => {
    dns.lookup = ((_name: string, _options: LookupAllOptions, answer: Answer) => {
      silent.push(answer)
    }) as unknown as typeof lookup
    syncBuiltinESMExports()
  })
  afterAll(() => {
    dns.lookup = lookup
    syncBuiltinESMExports()
  })

  for (const allowPrivate of [false, true]) {
    const where = allowPrivate ? 'with private addresses allowed' : 'to the public Internet'
    test(`is looked up once for all waiting calls, ${where}, and all get the result`, async () => {
      const agent = createGuardedAgent({ allowPrivate, timeoutMS: 60_000, connections: 20 })
      for (const round of ['first', 'second']) {
        const calls = Array.from({ length: 20 }, async () =>
          request(`http://dead.test/${round}`, { dispatcher: agent }),
        )
        const ended = Promise.allSettled(calls)
        // By then, all connections have started.
        const { promise, resolve } = Promise.withResolvers<void>()
        setImmediate(resolve)
        await promise
        const asked = silent.splice(0)
        assert.equal(asked.length, 1)
        for (const answer of asked) answer(new Error('no name'), [])
        const errors = (await ended).map((call) => (call.status === 'rejected' ? String(call.reason) : call.status))
        assert.deepEqual(new Set(errors), new Set(['Error: no name']))
      }
      await agent.close()
    })
  }
})
