import assert from 'node:assert/strict'
import type { Client, RoomMessage, Storage } from '@parley/client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Fields, type PlatformUser } from '../platform.ts'
import { clientOf, type Deployment, deploy, isOnline, online, texts } from './client-of.ts'

/** Like localStorage, which survives a reload. */
function memoryStorage(): Storage {
  const kept = new Map<string, string>()
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) }
}

describe("a client's sends", () => {
  let deployment: Deployment
  beforeAll(async () => {
    deployment = await deploy()
  })
  afterAll(() => deployment.stop())

  const userInARoom = async () => {
    const alice = await deployment.platform.newUser()
    return { alice, room: await deployment.platform.newRoom([alice.id]) }
  }
  const shown = (client: Client, room: string) =>
    client
      .room(room)
      .messages.get()
      .map(({ message, state }) => [message, state])
  const history = async (user: PlatformUser, room: string) =>
    ((await user.call('GET', `/rooms/${room}/messages/v3?afterTime=0`))['data'] as Fields[]).map(
      ({ message }) => message,
    )

  test('appear at once, and keep their key when acknowledged', async () => {
    const { alice, room } = await userInARoom()
    const client = clientOf(deployment, alice)
    await online(client)
    await client.room(room).open()
    const seen: RoomMessage[][] = []
    client.room(room).messages.subscribe((messages) => seen.push([...messages]))
    const sent = await client.room(room).send('Hello')
    assert.equal(sent.message, 'Hello')
    const keys = new Set(seen.flat().map(({ key }) => key))
    const states = new Set(seen.flat().map(({ state }) => state))
    assert.equal(keys.size, 1)
    assert.ok(states.has('sending') && states.has('sent'), [...states].join(' '))
    assert.deepEqual(
      seen.filter((messages) => messages.length > 1),
      [],
      'never twice',
    )
  })

  test('wait while offline, then arrive once and in order', async () => {
    const { alice, room } = await userInARoom()
    const client = clientOf(deployment, alice)
    await online(client)
    await client.room(room).open()
    await deployment.killNode()
    await eventually('offline', () => client.connection.get().status === 'waiting')
    const sends = ['one', 'two', 'three'].map((text) => client.room(room).send(text))
    await eventually('queued', () => shown(client, room).length === 3)
    assert.deepEqual(shown(client, room), [
      ['one', 'queued'],
      ['two', 'queued'],
      ['three', 'queued'],
    ])
    await deployment.newNode()
    await Promise.all(sends)
    assert.deepEqual(await history(alice, room), ['one', 'two', 'three'])
    await eventually('all are shown as sent', () => shown(client, room).every(([, state]) => state === 'sent'))
    assert.deepEqual(texts(client, room), ['one', 'two', 'three'])
  })

  test('survive a reload in the given storage', async () => {
    const { alice, room } = await userInARoom()
    const storage = memoryStorage()
    const client = clientOf(deployment, alice, { storage })
    await client.room(room).open()
    const parent = await client.room(room).send('the parent')
    await deployment.killNode()
    await eventually('offline', () => !isOnline(client))
    void client.room(room).send('kept', { replyTo: parent._id })
    void client.room(room).thread(parent._id).send('kept in the thread')
    await eventually('it is in the storage', async () =>
      (await storage.getItem(`parley.outbox.${deployment.platform.clientKey}`))?.includes('kept'),
    )
    client.close()

    const other = clientOf(deployment, await deployment.platform.newUser(), { storage })
    const reloaded = clientOf(deployment, alice, { storage })
    await eventually('it is shown before there is a connection', () => texts(reloaded, room).includes('kept'))
    assert.equal(reloaded.room(room).messages.get()[0]?.replyTo?.text, 'the parent')
    await deployment.newNode()
    await eventually('it has arrived', async () => (await history(alice, room)).includes('kept'))
    await online(other)
    await reloaded.room(room).open()
    await eventually('it is sent', () => shown(reloaded, room).every(([, state]) => state === 'sent'))
    assert.deepEqual(shown(reloaded, room), [
      ['the parent', 'sent'],
      ['kept', 'sent'],
    ])
    assert.equal(reloaded.room(room).messages.get()[1]?.replyTo?._id, parent._id)
    await reloaded.room(room).thread(parent._id).open()
    await eventually('in the thread', () => {
      const [message] = reloaded.room(room).thread(parent._id).messages.get()
      return message?.message === 'kept in the thread' && message.state === 'sent'
    })
    assert.deepEqual(shown(other, room), [], 'another user of the storage does not send it')
  })

  test('written offline in a tab that was closed are sent by a tab that stayed open', async () => {
    const { alice, room } = await userInARoom()
    const storage = memoryStorage()
    const open = clientOf(deployment, alice, { storage })
    await online(open)
    const closed = clientOf(deployment, alice, { storage })
    await online(closed)
    await deployment.killNode()
    await eventually('both are offline', () => !isOnline(open) && !isOnline(closed))
    const sent = [open.room(room).send('by the open tab')]
    for (const text of ['one', 'two'])
      closed
        .room(room)
        .send(text)
        .catch(() => undefined)
    const key = `parley.outbox.${deployment.platform.clientKey}`
    await eventually('all are in the storage', async () => (await storage.getItem(key))?.includes('"two"'))
    closed.close()
    await deployment.newNode()
    await Promise.all(sent)
    await eventually('all have arrived', async () => (await history(alice, room)).length === 3)
    const all = await history(alice, room)
    assert.deepEqual(new Set(all), new Set(['by the open tab', 'one', 'two']))
    assert.ok(all.indexOf('one') < all.indexOf('two'))
    await eventually('none is left', async () => !(await storage.getItem(key))?.includes('"two"'))
  })

  test('are not sent by a tab after another tab with the same storage discarded them', async () => {
    const { alice, room } = await userInARoom()
    const storage = memoryStorage()
    const one = clientOf(deployment, alice, { storage })
    await online(one)
    await one.room(room).open()
    await deployment.killNode()
    await eventually('offline', () => !isOnline(one))
    const discarded = one.room(room).send('discarded')
    discarded.catch(() => undefined)
    const kept = one.room(room).send('kept')
    const key = `parley.outbox.${deployment.platform.clientKey}`
    await eventually('both are in the storage', async () => (await storage.getItem(key))?.includes('"kept"'))
    const other = clientOf(deployment, alice, { storage })
    await eventually('both are shown', () => texts(other, room).length === 2)
    other.room(room).discard(String(other.room(room).messages.get()[0]?.key))
    await deployment.newNode()
    await assert.rejects(discarded, { code: 'CLOSED' })
    await kept
    assert.deepEqual(await history(alice, room), ['kept'])
    await eventually('it is gone', () => texts(one, room).length === 1)
    assert.deepEqual(texts(one, room), ['kept'])
  })

  test('too long for a connection fail, and delay neither it nor the next ones', async () => {
    const { alice, room } = await userInARoom()
    const client = clientOf(deployment, alice)
    await online(client)
    const states: string[] = []
    client.connection.subscribe(({ status }) => states.push(status))
    const long = 'x'.repeat(300_000)
    const tooLarge = { name: 'ParleyError', code: 'MESSAGE_TOO_LARGE', status: 413 }
    client.room(room).typed(long)
    const sends = [long, '€'.repeat(50_000)].map((text) => client.room(room).send(text))
    const next = client.room(room).send('next')
    for (const send of sends) await assert.rejects(send, tooLarge)
    assert.equal((await next).message, 'next')
    assert.deepEqual(await history(alice, room), ['next'])
    assert.deepEqual(states, ['online'])
  })

  test('fail with the error code of the interface and can be retried', async () => {
    const { alice, room } = await userInARoom()
    const client = clientOf(deployment, alice)
    await online(client)
    const freeze = (status: number) => deployment.platform.admin('PUT', `/rooms/${room}`, { status })
    await freeze(0)
    await assert.rejects(client.room(room).send('too late'), { name: 'ParleyError', code: 'ROOM_FROZEN', status: 403 })
    const failed = () => client.room(room).messages.get()[0]
    await eventually('it is shown as failed', () => failed()?.error?.code === 'ROOM_FROZEN')
    await freeze(1)
    await client.room(room).retry(String(failed()?.key))
    assert.deepEqual(await history(alice, room), ['too late'])
    await freeze(0)
    await assert.rejects(client.room(room).send('never'))
    client.room(room).discard(String(client.room(room).messages.get().at(-1)?.key))
    await eventually('it is gone', () => !texts(client, room).includes('never'))
  })
})
