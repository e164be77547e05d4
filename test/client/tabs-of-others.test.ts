import assert from 'node:assert/strict'
import type { Client, ClientOptions } from '@parley/client'
import { createTabs, type TabsOptions } from '@parley/client/tabs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, test, vi } from 'vitest'
import { useWebLocks } from '../doubles/web-locks.ts'
import { eventually, type PlatformUser } from '../platform.ts'
import { clientOf, type Deployment, deploy, isOnline, online } from './client-of.ts'

/** Tabs of several users in one browser, with a function as `token`. They share a group until they know their users. */
describe('clients in tabs of several users', () => {
  let deployment: Deployment
  beforeAll(async () => {
    deployment = await deploy()
  })
  afterAll(() => deployment.stop())
  beforeEach(() => useWebLocks())
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })

  const tab = (token: ClientOptions['token'], about: TabsOptions = {}) =>
    clientOf(deployment, { token: '' }, { tabs: createTabs(about), token })
  const newUsers = () => Promise.all([deployment.platform.newUser(), deployment.platform.newUser()])
  const newToken = async ({ id }: PlatformUser) => (await deployment.platform.newUser(id)).token
  const endToken = ({ id }: PlatformUser) => deployment.platform.admin('DELETE', `/admin/clients/${id}/token`, {})

  /** Like an app whose server issues a new token when one is refused. */
  function renewing(user: PlatformUser) {
    let { token } = user
    return async ({ refused }: { refused: boolean }) => {
      if (refused) token = await newToken(user)
      return token
    }
  }

  test('a tab whose token is refused does not take the token of another user', async () => {
    const [alice, bob] = await newUsers()
    const alices = tab(renewing(alice))
    await online(alices)
    await endToken(bob)
    // While Bob's first token is being refused, Alice's tab announces a newer one.
    const { fetch } = globalThis
    let isRenewed = false
    vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
      if (!isRenewed && JSON.stringify(init.headers).includes(bob.token)) {
        isRenewed = true
        await endToken(alice)
        await alices.api.getMe()
        await online(alices)
      }
      return fetch(url, init)
    })
    const bobs = tab(renewing(bob))
    await online(bobs)
    assert.ok(isRenewed)
    assert.equal((await bobs.api.getMe())._id, bob.id)
    assert.equal(bobs.me.get()?._id, bob.id)
    assert.equal(alices.me.get()?._id, alice.id)
  })

  test('a token that belongs to another user is given to no tab', async () => {
    const [alice, bob] = await newUsers()
    let isBobs = false
    const renew = renewing(alice)
    const switched = tab(async (asked) => (isBobs ? bob.token : renew(asked)))
    await online(switched)
    const alices = tab(renewing(alice))
    await online(alices)
    const sent = recordMessages()
    isBobs = true
    await endToken(alice)
    await eventually('it is the other user', () => switched.me.get()?._id === bob.id && isOnline(switched))
    await online(alices)
    assert.equal((await alices.api.getMe())._id, alice.id)
    assert.equal(sent().filter((message) => message.includes(bob.token)).length, 0)
  })

  test('a refusal that ends the tabs does not share the token', async () => {
    const [alice] = await newUsers()
    const clients = [tab(async () => alice.token), tab(async () => alice.token)]
    for (const client of clients) await online(client)
    const sent = recordMessages()
    await endToken(alice)
    for (const client of clients) await eventually('it has stopped', () => client.connection.get().status === 'stopped')
    assert.ok(sent().some((message) => message.includes('stopped')))
    assert.equal(sent().filter((message) => message.includes(alice.token)).length, 0)
  })

  test('a logout does not end the tabs of other users', async () => {
    const [alice] = await newUsers()
    const clients = [tab(async () => alice.token), tab(async () => alice.token)] as [Client, Client]
    for (const client of clients) await online(client)
    const sent = recordMessages()
    const bobs = tab(() => new Promise(() => undefined))
    await eventually('it follows', () => sent().some((message) => message.includes('"hello"')))
    await bobs.logOut()
    const room = await deployment.platform.newRoom([alice.id])
    for (const client of clients) await client.room(room).send('still here')
    assert.deepEqual(clients.map(isOnline), [true, true])
  })

  test('a tab that gets no token does not block others', async () => {
    const [alice, bob] = await newUsers()
    let isDown = true
    const alices = tab(async () => {
      if (isDown) throw new Error('the server of the app is down')
      return alice.token
    })
    await eventually('it waits', () => alices.connection.get().status === 'waiting')
    const bobs = [tab(async () => bob.token), tab(async () => bob.token)]
    for (const client of bobs) await online(client)
    isDown = false
    await online(alices)
    assert.equal(alices.me.get()?._id, alice.id)
  })

  test('a tab whose token function hangs does not block others', async () => {
    const [, bob] = await newUsers()
    const hanging = tab(() => new Promise(() => undefined))
    const bobs = tab(async () => bob.token, { deadAfterMS: 300 })
    await online(bobs)
    assert.equal(hanging.connection.get().status, 'connecting')
  })

  test.each([1, 2])('a browser that refuses BroadcastChannel %i still connects', async (refused) => {
    const [alice] = await newUsers()
    let opened = 0
    class Refusing extends BroadcastChannel {
      constructor(name: string) {
        if (++opened >= refused) throw new DOMException('The operation is insecure.', 'SecurityError')
        super(name)
      }
    }
    vi.stubGlobal('BroadcastChannel', Refusing)
    await online(tab(async () => alice.token))
  })

  test('the events of a user who logs in in another user’s tab do not reach that user’s other tabs', async () => {
    const [alice, bob] = await newUsers()
    const room = await deployment.platform.newRoom([alice.id, bob.id])
    const secret = await deployment.platform.newRoom([bob.id])
    const say = (to: string, message: string) =>
      deployment.platform.admin('POST', '/messages', { room: to, sender: bob.id, message, messageType: 'text' })
    const switched = tab(async ({ refused }) => {
      if (!refused) return alice.token
      await say(secret, 'for Bob')
      return bob.token
    })
    await online(switched)
    const alices = tab(renewing(alice))
    await online(alices)
    const heard: unknown[] = []
    alices.on('chat message', ({ message }) => heard.push(message))
    await endToken(alice)
    await eventually('it is the other user', () => switched.me.get()?._id === bob.id && isOnline(switched))
    await online(alices)
    await say(room, 'for both')
    await eventually('it has heard', () => heard.includes('for both'))
    assert.deepEqual(heard, ['for both'])
  })
})

/** Records the messages that all tabs post from now on. */
function recordMessages(): () => string[] {
  const post = vi.spyOn(BroadcastChannel.prototype, 'postMessage')
  return () => post.mock.calls.map(([message]) => JSON.stringify(message))
}
