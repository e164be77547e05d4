import assert from 'node:assert/strict'
import type { Client, ClientOptions } from '@parley/client'
import { type CacheStorage, createCache } from '@parley/client/cache'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, type PlatformUser } from '../platform.ts'
import { clientOf, type Deployment, deploy, inARoom, online, texts } from './client-of.ts'
import { newDevice } from './new-device.ts'

describe('a client with a cache', () => {
  let deployment: Deployment
  let platform: Platform
  beforeAll(async () => {
    deployment = await deploy()
    platform = deployment.platform
  })
  afterAll(() => deployment.stop())

  const start = (user: PlatformUser, storage: CacheStorage, options: Partial<ClientOptions> = {}) =>
    clientOf(deployment, user, { cache: createCache({ storage }), ...options })
  /** Unreachable, as on a plane. */
  const offline = { url: 'http://127.0.0.1:9' }

  /** Opens the room; resolves when the text is cached. */
  async function seen(client: Client, storage: ReturnType<typeof newDevice>, room: string, text: string) {
    await online(client)
    await client.room(room).open()
    await eventually('it is cached', () =>
      ['room.', 'state'].every((kind) =>
        [...storage.entries].some(([key, value]) => key.includes(`cache.${kind}`) && value.includes(text)),
      ),
    )
    client.close()
  }

  test('a cold start without a connection shows the rooms, the unread counts and the messages', async () => {
    const { alice, room, say } = await inARoom(platform)
    await say('first')
    await say('second')
    const storage = newDevice()
    const client = start(alice, storage)
    await seen(client, storage, room, 'second')

    const cold = start(alice, storage, offline)
    await cold.room(room).open()
    assert.deepEqual(texts(cold, room), ['first', 'second'])
    assert.equal(cold.me.get()?._id, alice.id)
    assert.deepEqual(
      cold.rooms.get().map(({ _id, unread }) => [_id, unread]),
      [[room, 2]],
    )
    assert.equal(cold.badge.get(), 2)
  })

  test('after a cold start it catches up with sent, edited and deleted messages and unread counts', async () => {
    const { alice, bob, room, say } = await inARoom(platform)
    const { _id: edited } = await say('to edit')
    const { _id: deleted } = await say('to delete')
    const storage = newDevice()
    await seen(start(alice, storage), storage, room, 'to delete')
    await platform.admin('POST', `/rooms/${room}/message`, { _id: edited, sender: bob.id, message: 'edited' })
    await platform.admin('DELETE', `/rooms/${room}/messages/${String(deleted)}`)
    await say('new')
    const second = await platform.newRoom([alice.id, bob.id])

    const cold = start(alice, storage)
    await cold.room(room).open()
    await online(cold)
    await eventually('it is up to date', () => texts(cold, room).includes('new'))
    await eventually(
      'unread counts agree with the server',
      () => JSON.stringify(texts(cold, room).filter(Boolean)) === '["edited","new"]',
    )
    await eventually('the new room', () => cold.rooms.get().some(({ _id }) => _id === second))
    const { badge } = (await alice.call('GET', '/me/badge')) as { badge: number }
    await eventually('the badge', () => cold.badge.get() === badge)
  })

  test("another user's login drops everything that was cached", async () => {
    const { alice, bob, room, say } = await inARoom(platform)
    const only = await say('for these two')
    const carol = await platform.newUser()
    const storage = newDevice()
    await seen(start(alice, storage), storage, room, 'for these two')
    const client = start(carol, storage)
    await client
      .room(room)
      .open()
      .catch(() => undefined)
    await online(client)
    await eventually('her own state', () => client.me.get()?._id === carol.id)
    assert.deepEqual([client.rooms.get(), texts(client, room), client.badge.get()], [[], [], 0])
    assert.doesNotMatch(
      JSON.stringify([...storage.entries]),
      new RegExp(`${alice.id}|${bob.id}|${String(only['_id'])}`),
    )
  })

  test('logOut() removes the cached state and the unsent messages', async () => {
    const { alice, room, say } = await inARoom(platform)
    await say('private')
    const storage = newDevice()
    await seen(start(alice, storage), storage, room, 'private')
    const sends = newDevice()
    const cold = start(alice, storage, { ...offline, storage: sends })
    await cold.room(room).open()
    const lost = cold
      .room(room)
      .send('never sent')
      .catch((error: { code: string }) => error.code)
    await eventually('it is stored', () => JSON.stringify([...sends.entries]).includes('never sent'))
    await cold.logOut()
    assert.equal(await lost, 'CLOSED')
    assert.deepEqual([...storage.entries], [])
    assert.doesNotMatch(JSON.stringify([...sends.entries]), /never sent/)
  })

  test('a storage that never answers delays neither login, history, sends nor logout for long', async () => {
    const { alice, room, say } = await inARoom(platform)
    await say('hello')
    const never = () => new Promise<never>(() => undefined)
    const storage = { getItem: never, setItem: never, removeItem: never }
    const client = start(alice, storage, { storage })
    const sent = client.room(room).send('mine')
    await online(client)
    await client.room(room).open()
    assert.equal((await sent).message, 'mine')
    await eventually('both are shown', () => texts(client, room).join() === 'hello,mine')
    await client.logOut()
  })
})
