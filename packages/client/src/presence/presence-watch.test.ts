import assert from 'node:assert/strict'
import { describe, test, vi } from 'vitest'
import { ParleyError } from '../parley-error.ts'
import { PresenceWatch } from './presence-watch.ts'

describe('a watched user', () => {
  /** @param failures errors of the first emits */
  function watch(...failures: ParleyError[]) {
    const said: [event: string, clients: string[]][] = []
    const presence = new PresenceWatch({
      isConnected: () => true,
      emit: async (event, payload) => {
        const { clients } = payload as { clients: string[] }
        said.push([event, clients])
        const failure = failures.shift()
        if (failure) throw failure
        return { clients: clients.map((client) => ({ client, state: 'online' })) }
      },
    })
    const look = (user: string) => presence.of(user).subscribe(() => undefined)
    return { look, said, presence }
  }

  test('is watched while one watcher remains, even if another ends twice', async () => {
    const { look, said } = watch()
    const end = look('bob')
    const last = look('bob')
    end()
    end()
    await vi.waitFor(() => assert.deepEqual(said, [['presence subscribe', ['bob']]]))
    last()
    await vi.waitFor(() => assert.deepEqual(said.slice(1), [['presence unsubscribe', ['bob']]]))
  })

  test('is watched eventually after temporary refusals', async () => {
    const { look, said, presence } = watch(
      new ParleyError('SERVICE_UNAVAILABLE', 'Redis is away', 503),
      new ParleyError('TOO_MANY_REQUESTS', 'too many', 429),
    )
    look('bob')
    await vi.waitFor(() => assert.deepEqual(presence.of('bob').get(), { state: 'online' }), { timeout: 60_000 })
    assert.deepEqual(
      said,
      Array.from({ length: 3 }, () => ['presence subscribe', ['bob']]),
    )
  })

  test('is not requested again after a permanent refusal', async () => {
    const { look, said } = watch(new ParleyError('INVALID_BODY', 'no such user ID', 400))
    look('no user')
    await vi.waitFor(() => assert.equal(said.length, 1))
    look('bob')
    await vi.waitFor(() => assert.deepEqual(said.slice(1), [['presence subscribe', ['bob']]]))
  })

  test('is watched even if the server permanently refuses other users in the same call', async () => {
    const said: string[][] = []
    const presence = new PresenceWatch({
      isConnected: () => true,
      emit: async (_event, payload) => {
        const { clients } = payload as { clients: string[] }
        said.push(clients)
        if (clients.some((client) => client.startsWith('no user')))
          throw new ParleyError('INVALID_BODY', 'no such user ID', 400)
        return { clients: clients.map((client) => ({ client, state: 'online' })) }
      },
    })
    const users = Array.from({ length: 100 }, (_, i) => (i % 40 === 7 ? `no user ${i}` : `user ${i}`))
    for (const user of users) presence.of(user).subscribe(() => undefined)
    const isOnline = (user: string) => presence.of(user).get()?.state === 'online'
    await vi.waitFor(() => assert.equal(users.filter(isOnline).length, 97))
    assert.ok(said.length < 50, `${said.length} calls`)
    const calls = said.length
    presence.of('bob').subscribe(() => undefined)
    await vi.waitFor(() => assert.ok(isOnline('bob')))
    assert.deepEqual(said.slice(calls), [['bob']], 'refused users are not requested again')
  })

  test('becomes unknown once a login no longer allows the watch', async () => {
    let clients = [{ client: 'bob', state: 'online' }]
    const presence = new PresenceWatch({ isConnected: () => true, emit: async () => ({ clients }) })
    presence.of('bob').subscribe(() => undefined)
    await vi.waitFor(() => assert.deepEqual(presence.of('bob').get(), { state: 'online' }))
    clients = []
    presence.loggedIn()
    await vi.waitFor(() => assert.equal(presence.of('bob').get(), undefined))
  })

  test('is batched with other changes: unsubscribes first, then subscribes', async () => {
    const { look, said } = watch()
    const users = (of: string) => Array.from({ length: 400 }, (_, i) => `${of} ${i}`)
    const ends = users('before').map(look)
    await vi.waitFor(() => assert.equal(said.length, 1))
    for (const end of ends) end()
    users('after').forEach(look)
    await vi.waitFor(() => assert.equal(said.length, 3))
    assert.deepEqual(said.slice(1), [
      ['presence unsubscribe', users('before')],
      ['presence subscribe', users('after')],
    ])
  })

  test('waits for a slot while 500 are watched, and gets one once others end', async () => {
    const held = new Set<string>()
    const refused: string[] = []
    const presence = new PresenceWatch({
      isConnected: () => true,
      emit: async (event, payload) => {
        const { clients } = payload as { clients: string[] }
        if (event === 'presence unsubscribe') {
          for (const client of clients) held.delete(client)
          return {}
        }
        if (new Set([...held, ...clients]).size > 500) {
          refused.push(...clients)
          throw new ParleyError('INVALID_REQUEST', 'clients: a socket watches at most 500 users', 400)
        }
        for (const client of clients) held.add(client)
        return { clients: clients.map((client) => ({ client, state: 'online' })) }
      },
    })
    const users = (of: string, count: number) => Array.from({ length: count }, (_, i) => `${of} ${i}`)
    const look = (user: string) => presence.of(user).subscribe(() => undefined)
    const online = (of: string[]) => of.filter((user) => presence.of(user).get()?.state === 'online').length
    const ends = users('before', 480).map(look)
    await vi.waitFor(() => assert.equal(held.size, 480))
    const after = users('after', 30)
    after.forEach(look)
    await vi.waitFor(() => assert.equal(online(after), 20))
    for (const end of ends) end()
    await vi.waitFor(() => assert.equal(online(after), 30))
    assert.deepEqual([...held].toSorted(), after.toSorted())
    assert.deepEqual(refused, [])
  })
})
