import assert from 'node:assert/strict'
import type { Client, ClientOptions } from '@parley/client'
import { createCache } from '@parley/client/cache'
import { createTabs, type TabsOptions } from '@parley/client/tabs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, test, vi } from 'vitest'
import { useWebLocks } from '../doubles/web-locks.ts'
import { eventually, type PlatformUser } from '../platform.ts'
import { clientOf, type Deployment, deploy, inARoom, isOnline, online, texts } from './client-of.ts'
import { newDevice } from './new-device.ts'

describe('clients in several tabs', () => {
  let deployment: Deployment
  beforeAll(async () => {
    deployment = await deploy()
  })
  afterAll(() => deployment.stop())
  beforeEach(() => useWebLocks())
  afterEach(() => vi.unstubAllGlobals())

  const tab = (user: PlatformUser, options: Partial<ClientOptions> = {}, about: TabsOptions = {}) =>
    clientOf(deployment, user, { tabs: createTabs(about), ...options })

  async function connectionsOf({ id }: PlatformUser): Promise<number> {
    const { data } = await deployment.platform.admin('GET', `/admin/clients/${id}/connections`)
    return (data as unknown[]).length
  }
  const hasConnections = (user: PlatformUser, count: number) =>
    eventually(`${count} connections`, async () => (await connectionsOf(user)) === count)

  /** Records the texts of the message events of a client. */
  function heardBy(client: Client): unknown[] {
    const heard: unknown[] = []
    client.on('chat message', ({ message }) => heard.push(message))
    return heard
  }

  test('share one connection, over which each gets everything once and sends', async () => {
    const { alice, bob, room, say } = await inARoom(deployment.platform)
    const clients = [tab(alice), tab(alice), tab(alice)]
    await Promise.all(clients.map(online))
    const heard = clients.map(heardBy)
    await hasConnections(alice, 1)
    await Promise.all(clients.map((client) => client.room(room).open()))
    await say('to all')
    for (const [at, client] of clients.entries()) await client.room(room).send(`by ${at}`)
    const all = ['to all', 'by 0', 'by 1', 'by 2']
    for (const client of clients) await eventually('all', () => String(texts(client, room)) === String(all))
    assert.deepEqual(heard, [all, all, all])
    assert.equal(await connectionsOf(alice), 1)

    const others = clientOf(deployment, bob)
    await online(others)
    await others.room(room).open()
    for (const client of clients) {
      client.room(room).typed('Hel')
      await eventually('typing', () => others.room(room).typing.get().length === 1)
      client.room(room).typed('')
      await eventually('no longer', () => others.room(room).typing.get().length === 0)
    }
    clients[2]?.room(room).markRead()
    for (const client of clients) await eventually('read', () => client.badge.get() === 0)
  })

  test('elect another leader when it is closed: each gets missed messages once, and nothing is fetched again', async () => {
    const { alice, room, say } = await inARoom(deployment.platform)
    const clients = [tab(alice), tab(alice), tab(alice)]
    for (const client of clients) await online(client)
    await Promise.all(clients.map((client) => client.room(room).open()))
    await say('before')
    for (const client of clients) await eventually('before', () => texts(client, room).includes('before'))
    const [first, ...others] = clients as [Client, ...Client[]]
    const heard = others.map(heardBy)
    const called = recordCalls()
    deployment.connectTo(deployment.nodes.length)
    first.close()
    for (const client of others)
      await eventually('without a connection', () => client.connection.get().status === 'waiting')
    await say('between')
    const sent = others[1]?.room(room).send('written meanwhile')
    deployment.connectTo(0)
    await Promise.all(others.map(online))
    await sent
    await say('after')
    const all = ['before', 'between', 'written meanwhile', 'after']
    for (const client of others) await eventually('all', () => String(texts(client, room)) === String(all))
    // The last seconds are replayed, as after each reconnect.
    for (const one of heard)
      assert.deepEqual(
        one.filter((text) => text !== 'before'),
        all.slice(1),
      )
    await hasConnections(alice, 1)
    assert.deepEqual(
      called.filter((path) => !path.includes('/read')),
      [],
    )
  })

  test('are up to date when opened later or with cached state', async () => {
    const { alice, room, say } = await inARoom(deployment.platform)
    const storage = newDevice()
    const cached = () => tab(alice, { cache: createCache({ storage }) })
    const early = cached()
    await online(early)
    await early.room(room).open()
    await say('first')
    await eventually('it is cached', () =>
      [...storage.entries].some(([key, value]) => key.includes('room') && value.includes('first')),
    )
    const leader = tab(alice)
    await online(leader)
    early.close()
    await eventually('it leads', () => isOnline(leader))
    await say('second')
    const late = cached()
    await late.room(room).open()
    await online(late)
    await eventually('all', () => String(texts(late, room)) === 'first,second')
    assert.equal(await connectionsOf(alice), 1)
  })

  test('all end at a logout in one, which leaves nothing on the device', async () => {
    const { alice, room, say } = await inARoom(deployment.platform)
    const storage = newDevice()
    const clients = [0, 1, 2].map(() => tab(alice, { cache: createCache({ storage }) }))
    for (const client of clients) await online(client)
    await Promise.all(clients.map((client) => client.room(room).open()))
    await say('private')
    await eventually('it is cached', () => [...storage.entries.values()].join().includes('private'))
    await say('also private')
    await clients[1]?.logOut()
    for (const client of [clients[0], clients[2]]) {
      await eventually('it has stopped', () => client?.connection.get().status === 'stopped')
      const state = client?.connection.get()
      assert.equal(state && 'error' in state && state.error.code, 'CLOSED')
    }
    await hasConnections(alice, 0)
    assert.deepEqual([...storage.entries], [])
  })

  test('all end when the session is ended', async () => {
    const { alice } = await inARoom(deployment.platform)
    const clients = [tab(alice), tab(alice), tab(alice)]
    for (const client of clients) await online(client)
    await deployment.platform.admin('DELETE', `/admin/clients/${alice.id}/token`, {})
    for (const client of clients) {
      await eventually('it has stopped', () => client.connection.get().status === 'stopped')
      const state = client.connection.get()
      assert.equal('error' in state && state.error.code, 'INVALID_TOKEN')
    }
  })

  test('fetch one token for all when it is refused', async () => {
    const { alice, room, say } = await inARoom(deployment.platform)
    let { token } = alice
    const asked: string[] = []
    const fetchToken = async ({ refused }: { refused: boolean }) => {
      if (!refused) return token
      asked.push(token)
      // Each new token ends the previous one, as in an app whose server stores none.
      token = (await deployment.platform.newUser(alice.id)).token
      return token
    }
    const clients = [0, 1, 2].map(() => tab(alice, { token: fetchToken }))
    for (const client of clients) await online(client)
    await deployment.platform.admin('DELETE', `/admin/clients/${alice.id}/token`, {})
    await Promise.all(clients.map((client) => client.api.getMe()))
    await Promise.all(clients.map(online))
    for (const client of clients) await eventually('it is online', () => isOnline(client))
    assert.equal(asked.length, 1)
    await Promise.all(clients.map((client) => client.room(room).open()))
    await say('still here')
    for (const client of clients) await eventually('all', () => texts(client, room).includes('still here'))
    await hasConnections(alice, 1)
  })

  test('have their own connections if of another user or without Web Locks', async () => {
    const { alice, bob, room } = await inARoom(deployment.platform)
    const of = ({ token }: PlatformUser, about: TabsOptions = {}) => tab(alice, { token: async () => token }, about)
    const alices = of(alice)
    await online(alices)
    const bobs = of(bob)
    await online(bobs)
    const alsoAlices = of(alice)
    await online(alsoAlices)
    assert.deepEqual(
      [alices, bobs, alsoAlices].map((client) => client.me.get()?._id),
      [alice.id, bob.id, alice.id],
    )
    const { sender } = await bobs.room(room).send('by bob')
    assert.equal(sender._id, bob.id)
    await hasConnections(alice, 1)
    await hasConnections(bob, 1)
    vi.unstubAllGlobals()
    await online(of(bob))
    await hasConnections(bob, 2)
  })

  test('watch presence independently', async () => {
    const { alice, bob } = await inARoom(deployment.platform)
    const clients = [tab(alice), tab(alice), tab(alice)]
    for (const client of clients) await online(client)
    const [first, second, third] = clients as [Client, Client, Client]
    const stop = first.presence(bob.id).subscribe(() => undefined)
    second.presence(bob.id).subscribe(() => undefined)
    third.presence(bob.id).subscribe(() => undefined)
    const stateIn = (client: Client) => client.presence(bob.id).get()?.state
    for (const client of clients) await eventually('offline', () => stateIn(client) === 'offline')
    stop()
    third.close()
    const bobs = clientOf(deployment, bob)
    await eventually('online', () => stateIn(second) === 'online')
    first.close()
    await eventually('it leads', () => isOnline(second))
    bobs.close()
    await eventually('offline', () => stateIn(second) === 'offline')
  })
})

/** Records the paths of calls from now on. */
function recordCalls(): string[] {
  const called: string[] = []
  const { fetch } = globalThis
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    const { pathname } = new URL(url)
    if (!pathname.startsWith('/admin') && pathname !== '/messages') called.push(pathname)
    return fetch(url, init)
  })
  return called
}
