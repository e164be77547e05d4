import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type Cluster, newServersDir, type ServersDir, startSentinels } from '@parley/stack/clusters'
import { closeTogether, openTcpProxy } from '@parley/stack/tcp-proxy'
import { testServers } from '@parley/stack/test-servers'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, onTestFinished, test, vi } from 'vitest'
import { connectPresence, type Presence, pingPresence } from './connect.ts'

const failover = { timeout: 120_000, interval: 100 }

test('a database that Redis does not have is refused, instead of using another', async () => {
  const url = new URL((await testServers()).redisUrl)
  url.pathname = '/999999'
  await assert.rejects(
    connectPresence(url.href, () => undefined),
    /DB index is out of range/,
  )
})

test('a user whose commands the ACL refuses is refused at the start, with the command', async () => {
  const { redisUrl } = await testServers()
  const admin = new Redis(redisUrl)
  const name = `few-${randomUUID()}`
  onTestFinished(async () => {
    await admin.acl('DELUSER', name)
    admin.disconnect()
  })
  const url = Object.assign(new URL(redisUrl), { username: name, password: 'few' })
  for (const [rule, said] of [
    ['-@scripting', /NOPERM .*'eval'/],
    ['-@write', /NOPERM .*'set'/],
    ['resetkeys', /NOPERM .*keys/],
  ] as const) {
    await admin.acl('SETUSER', name, 'reset', 'on', '>few', '~*', '&*', '+@all', rule)
    await assert.rejects(
      connectPresence(url.href, () => undefined),
      said,
    )
  }
})

test('a server that refuses connections is away with its reason: at its limit of clients', async () => {
  const full = await listen((socket) => {
    socket.resume().end('-ERR max number of clients reached\r\n')
  })
  const sentences: string[] = []
  const presence = await connectPresence(full.url, ({ message }) => void sentences.push(message))
  onTestFinished(async () => {
    presence.redis.disconnect()
    await full.stop()
  })
  const said = /^Error: Redis is disconnected: ERR max number of clients reached$/
  await vi.waitFor(() => assert.rejects(pingPresence(presence), said), failover)
  assert.deepEqual([...new Set(sentences)], ['ERR max number of clients reached'])
})

test('a server that was away at the start is checked when it is back', async () => {
  const { port, pathname } = new URL((await testServers()).redisUrl)
  let state: 'away' | 'old' | 'recent' = 'away'
  const proxy = await listen((client) => {
    if (state === 'away') {
      client.destroy()
      return
    }
    const server = connect(Number(port), '127.0.0.1')
    closeTogether(client, server)
    client.pipe(server)
    server.on('data', (data) => {
      const text = data.toString('latin1')
      client.write(state === 'old' ? text.replace(/(?<=redis_version:)\d/, '5') : text, 'latin1')
    })
  })
  const presence = await connectPresence(`${proxy.url}${pathname}`, () => undefined)
  onTestFinished(async () => {
    presence.redis.disconnect()
    await proxy.stop()
  })
  state = 'old'
  const said = /^UnfitRedis: the server has version 5\.\S+: Parley needs 6\.2 or newer$/
  await vi.waitFor(() => assert.rejects(pingPresence(presence), said), failover)
  state = 'recent'
  await pingPresence(presence)
})

test('a proxy that has lost Redis counts as Redis being away, a server that waits for its own protocol does not', async () => {
  const sentences: string[] = []
  const onError = ({ message }: Error) => void sentences.push(message)
  for (const close of [(socket: Socket) => socket.destroy(), (socket: Socket) => socket.resetAndDestroy()]) {
    const proxy = await listen(close)
    const { redis } = await connectPresence(proxy.url, onError)
    redis.disconnect()
    await proxy.stop()
  }
  assert.notDeepEqual(sentences, [])
  for (const close of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
    const other = await listen((socket) => socket.once('data', () => close(socket)))
    await assert.rejects(connectPresence(other.url, onError), /does not speak Redis' protocol/)
    await other.stop()
  }
})

async function listen(onSocket: (socket: Socket) => void): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((socket) => onSocket(socket.on('error', () => undefined)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const stop = async () => {
    server.close()
    await once(server, 'close')
  }
  return { url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

test('a ping names why Redis is not reached', async () => {
  const { hostname, port, pathname } = new URL((await testServers()).redisUrl)
  const proxy = await openTcpProxy({ host: hostname, port: Number(port) }, (client, upstream) => {
    client.pipe(upstream).pipe(client)
  })
  const presence = await connectPresence(`redis://127.0.0.1:${proxy.port}${pathname}`, () => undefined)
  onTestFinished(() => presence.redis.disconnect())
  await pingPresence(presence)
  await proxy.close()
  const said = new RegExp(`^Error: Redis is disconnected: connect ECONNREFUSED 127.0.0.1:${proxy.port}$`)
  await vi.waitFor(() => assert.rejects(pingPresence(presence), said), failover)
})

describe('Redis behind Sentinel', () => {
  let dir: ServersDir
  let cluster: Cluster
  let presence: Presence | undefined

  beforeEach(async () => {
    dir = newServersDir()
    cluster = await startSentinels(dir)
    const ports = [...cluster.url.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port))
    await Promise.all(ports.map(waitUntilConnected))
  })
  afterEach(async () => {
    presence?.redis.disconnect()
    await dir.stop()
  })

  /** Until a Sentinel knows the replica and the other Sentinels, it takes no part in elections. */
  async function waitUntilConnected(port: number): Promise<void> {
    const sentinel = new Redis(port)
    const knows = async () => {
      const fields = (await sentinel.call('SENTINEL', 'MASTER', 'parley')) as string[]
      const field = (name: string) => fields[fields.indexOf(name) + 1]
      assert.deepEqual([field('num-slaves'), field('num-other-sentinels')], ['1', '2'])
    }
    await vi.waitFor(knows, failover).finally(() => sentinel.disconnect())
  }

  const hang = (pid: number | undefined) => process.kill(pid ?? 0, 'SIGSTOP')

  test('a replica, reached by its own address, is not healthy', async () => {
    const [sentinelPort] = cluster.url.match(/(?<=127\.0\.0\.1:)\d+/) ?? []
    const sentinel = new Redis(Number(sentinelPort))
    const [fields = []] = (await sentinel.call('SENTINEL', 'REPLICAS', 'parley')) as string[][]
    sentinel.disconnect()
    const errors: string[] = []
    const url = `redis://127.0.0.1:${fields[fields.indexOf('port') + 1]}`
    const connected = await connectPresence(url, ({ message }) => void errors.push(message))
    presence = connected
    await vi.waitFor(() => assert.rejects(pingPresence(connected), /READONLY/), failover)
    assert.match(errors.join(), /READONLY/)
  })

  test('a hanging master is replaced by the one that Sentinel names', async () => {
    const connected = await connectPresence(cluster.url, () => undefined)
    presence = connected
    const [master] = cluster.members.values()
    hang(master?.pid)
    await assert.rejects(pingPresence(connected))
    await vi.waitFor(() => pingPresence(connected), failover)
  })

  test('if a Sentinel hangs, another one names the new master', async () => {
    const connected = await connectPresence(cluster.url, () => undefined)
    presence = connected
    const [master] = cluster.members.values()
    // The first two processes are the servers; the third is the Sentinel that is asked first.
    hang(dir.started[2]?.pid)
    await master?.kill()
    await vi.waitFor(() => pingPresence(connected), failover)
  })
})
