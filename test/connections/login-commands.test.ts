import assert from 'node:assert/strict'
import { io, type Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { openReadProxy, type ReadProxy } from '../doubles/read-proxy.ts'
import { connectClient, eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'
import { readiness } from '../readiness.ts'
import { metricsOf } from '../service-metrics.ts'

interface Ack {
  RC: number
  result?: { _id: string }
  error?: { code: string }
}

describe('changes apply to a socket even while its login or resync waits for the database', () => {
  let platform: Platform
  let gateway: RunningService
  let node: RunningService
  let proxy: ReadProxy
  let witness: Socket
  const heardByWitness = new Set<unknown>()

  beforeAll(async () => {
    platform = await startPlatform({ toKill: ['nats'] })
    proxy = await openReadProxy(platform.servers.mongoUrl)
    gateway = await platform.start('api-gateway')
    node = await platform.start('realtime', { PARLEY_MONGO_URL: proxy.url })
    witness = await platform.connect(node, await platform.newUser('witness'))
    witness.on('chat message', ({ message }) => heardByWitness.add(message))
  })
  afterAll(async () => {
    witness?.close()
    await platform.stop()
    await proxy.close()
  })

  let last = 0
  /** Creates a user in a room with the witness. */
  async function newUserInRoom(): Promise<{ id: string; token: string; room: string }> {
    const id = `user-${++last}`
    const token = (await platform.newUser(id)).token
    const room = `room-${last}`
    await platform.admin('POST', '/rooms/', { _id: room, roomType: 'group', members: [id, 'witness'] })
    return { id, token, room }
  }
  /** Opens an unauthenticated socket and records its events. */
  async function newSocket(): Promise<{ socket: Socket; heard: unknown[]; auth2: (token: string) => Promise<Ack> }> {
    const socket = io(node.url, { transports: ['websocket'], forceNew: true, reconnection: false })
    const heard: unknown[] = []
    socket.on('chat message', ({ message }) => heard.push(message))
    await new Promise<void>((resolve) => socket.once('connect', resolve))
    return { socket, heard, auth2: (token) => socket.timeout(100_000).emitWithAck('auth2', token) as Promise<Ack> }
  }
  /** Sends to rooms in order; resolves when the node has delivered everything. */
  async function say(message: string, ...rooms: string[]): Promise<void> {
    for (const room of rooms) {
      const said = `${message} in ${room}`
      await platform.admin('POST', '/messages', { room, sender: 'witness', message: said, messageType: 'text' })
      await eventually(`the witness hears ${said}`, () => heardByWitness.has(said))
    }
  }
  const revoke = (id: string) => platform.admin('DELETE', `/admin/clients/${id}/token`, {})
  const leave = (id: string, room: string) => platform.admin('POST', `/rooms/${room}/delete/members`, { members: [id] })
  const metric = async (name: string): Promise<number> => {
    const text = await metricsOf(node)
    const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)`, 'gm'))]
    return values.reduce((sum, [, value]) => sum + Number(value), 0)
  }

  test('a token revoked during its lookup is refused', async () => {
    const { id, token } = await newUserInRoom()
    const { socket, auth2 } = await newSocket()
    const lookup = proxy.holdNextRead('tokens')
    const ack = auth2(token)
    await lookup.answered
    await revoke(id)
    lookup.release()
    assert.partialDeepStrictEqual(await ack, { RC: 401, error: { code: 'INVALID_TOKEN' } })
    socket.close()
  })

  test('a token that was revoked and bound again is accepted', async () => {
    await platform.newUser('bound')
    const expirationDate = new Date(Date.now() + 3_600_000).toISOString()
    for (let n = 0; n < 3; n++) {
      await platform.admin('POST', '/admin/clients', { _id: 'bound', token: 'of the integrator', expirationDate })
      const { socket, auth2 } = await newSocket()
      assert.equal((await auth2('of the integrator')).RC, 0)
      await revoke('bound')
      socket.close()
    }
  })

  test('a token revoked while the rooms are read ends the socket', async () => {
    const { id, token } = await newUserInRoom()
    const { socket, auth2 } = await newSocket()
    const ended = new Promise((resolve) => socket.once('disconnect', resolve))
    const reading = proxy.holdNextRead('memberships')
    const ack = auth2(token).catch(() => 'never answered')
    await reading.answered
    await revoke(id)
    reading.release()
    assert.equal(await ended, 'io server disconnect')
    assert.equal(await ack, 'never answered')
  })

  test('a user removed from or added to a room while the rooms are read ends up outside or inside it', async () => {
    const { id, token, room } = await newUserInRoom()
    const { socket, heard, auth2 } = await newSocket()
    const reading = proxy.holdNextRead('memberships')
    const ack = auth2(token)
    await reading.answered
    await leave(id, room)
    await platform.admin('POST', '/rooms/', { _id: `new ${room}`, roomType: 'group', members: [id, 'witness'] })
    reading.release()
    assert.equal((await ack).RC, 0)
    await say('a', room, `new ${room}`)
    await eventually('the new room', () => heard.length > 0)
    assert.deepEqual(heard, [`a in new ${room}`])
    socket.close()
  })

  for (const [how, end] of Object.entries({
    'removed from the room': (id: string, room: string) => leave(id, room),
    erased: (id: string) => platform.admin('DELETE', `/admin/clients/${id}`),
  })) {
    test(`a login waiting for another gets nothing of the first user's rooms if that user is ${how} meanwhile`, async () => {
      const [first, second] = [await newUserInRoom(), await newUserInRoom()]
      const { socket, heard, auth2 } = await newSocket()
      const reading = proxy.holdNextRead('memberships')
      const acks = [auth2(first.token), auth2(second.token)].map((ack) => ack.catch(() => undefined))
      await reading.answered
      await end(first.id, first.room)
      reading.release()
      const [, ofSecond] = await Promise.all(acks)
      await say('b', first.room, second.room)
      if (ofSecond) await eventually('the room of the second', () => heard.length > 0)
      assert.deepEqual(heard, ofSecond ? [`b in ${second.room}`] : [])
      assert.equal(ofSecond !== undefined, how !== 'erased', 'the end of the first user’s token ends the socket')
      socket.close()
    })
  }

  test('a second auth2 that fails with a database error does not change the socket', async () => {
    const { id, token, room } = await newUserInRoom()
    const { socket, heard, auth2 } = await newSocket()
    assert.equal((await auth2(token)).RC, 0)
    for (const message of ['e', 'f']) {
      proxy.failNextRead('memberships')
      assert.ok((await auth2(token)).RC >= 500)
      await say(message, room)
      await eventually('the message', () => heard.includes(`${message} in ${room}`))
      const typing = { room, message: 'typing' }
      assert.equal(((await socket.timeout(100_000).emitWithAck('typing', typing)) as Ack).RC, 0)
    }
    assert.equal((await auth2(token)).RC, 0)
    const ended = new Promise((resolve) => socket.once('disconnect', resolve))
    await revoke(id)
    assert.equal(await ended, 'io server disconnect')
  })

  test('a socket that closes during authentication leaves nothing behind', async () => {
    const authenticated = await metric('parley_authenticated_connections')
    for (const collection of ['tokens', 'memberships']) {
      const { token } = await newUserInRoom()
      const subscriptions = await metric('parley_bus_subscriptions')
      const connections = await metric('parley_connections')
      const { socket, auth2 } = await newSocket()
      const reading = proxy.holdNextRead(collection)
      auth2(token).catch(() => undefined)
      await reading.answered
      socket.close()
      await eventually('it is gone', async () => (await metric('parley_connections')) === connections)
      reading.release()
      // Logins are processed in order: once this one is done, so is the previous one.
      const next = await connectClient(node.url, token)
      next.close()
      await eventually('so is the next', async () => (await metric('parley_connections')) === connections)
      assert.equal(await metric('parley_authenticated_connections'), authenticated)
      assert.equal(await metric('parley_bus_subscriptions'), subscriptions)
    }
  })

  test('a member removed while NATS is away gets nothing sent after its return, also before the resync', async () => {
    const { id, token, room } = await newUserInRoom()
    const { socket, heard, auth2 } = await newSocket()
    assert.equal((await auth2(token)).RC, 0)
    await resyncedWhile(
      () => platform.admin('POST', '/messages', { room, sender: 'witness', message: 'g', messageType: 'text' }),
      () => leave(id, room),
    )
    await eventually('the witness hears it', () => heardByWitness.has('g'))
    await platform.admin('POST', '/rooms/', { _id: `then ${room}`, roomType: 'group', members: [id, 'witness'] })
    await say('h', `then ${room}`)
    await eventually('the other room', () => heard.includes(`h in then ${room}`))
    assert.deepEqual(heard, [`h in then ${room}`])
    socket.close()
  })

  test('a resync does not put a socket back into a room that its user left meanwhile', async () => {
    const { id, token, room } = await newUserInRoom()
    const { socket, heard, auth2 } = await newSocket()
    assert.equal((await auth2(token)).RC, 0)
    await resyncedWhile(async () => {
      await leave(id, room)
    })
    await platform.admin('POST', '/rooms/', { _id: `then ${room}`, roomType: 'group', members: [id, 'witness'] })
    await say('c', room, `then ${room}`)
    await eventually('the other room', () => heard.length > 0)
    assert.deepEqual(heard, [`c in then ${room}`])
    socket.close()
  })

  test('a resync does not put a socket into the rooms of its previous user', async () => {
    const [first, second] = [await newUserInRoom(), await newUserInRoom()]
    const { socket, heard, auth2 } = await newSocket()
    assert.equal((await auth2(first.token)).RC, 0)
    const subscriptions = await metric('parley_bus_subscriptions')
    let ack: Promise<Ack> | undefined
    await resyncedWhile(async () => {
      ack = auth2(second.token)
      await eventually(
        'it belongs to the second user',
        async () => (await metric('parley_bus_subscriptions')) < subscriptions,
      )
    })
    assert.partialDeepStrictEqual(await ack, { RC: 0, result: { _id: second.id } })
    await say('d', first.room, second.room)
    await eventually('the room of the second', () => heard.length > 0)
    assert.deepEqual(heard, [`d in ${second.room}`])
    socket.close()
  })

  /**
   * Cuts off NATS and reconnects it; `meanwhile` runs after the node has reread the rooms and before it applies them.
   * @param away runs while NATS is away
   */
  async function resyncedWhile(meanwhile: () => Promise<unknown>, away?: () => Promise<unknown>): Promise<void> {
    await platform.servers.nats.kill()
    await away?.()
    const reading = proxy.holdNextRead('memberships')
    await platform.servers.nats.restart()
    await reading.answered
    // Wait for the gateway, since a disconnected one leaves a change's events to the relay.
    await eventually('the gateway is back', async () => {
      return Object.keys((await readiness(gateway)).failing).length === 0
    })
    await meanwhile()
    reading.release()
  }

  test('POST /me/token keeps the sockets of the replaced token; they close with the new token', async () => {
    const user = await platform.newUser()
    const [kept, other] = [await platform.connect(node, user), await platform.connect(node, user)]
    const { token } = await user.call('POST', '/me/token')
    const emitted = await kept.emitWithAck('away', { away: false })
    assert.equal(emitted.RC, 0)
    assert.ok(kept.connected && other.connected)
    const refused = await fetch(`${gateway.url}/me`, { headers: user.headers })
    assert.equal(refused.status, 401, 'the token itself has ended')
    const ended = Promise.all(
      [kept, other].map((socket) => new Promise((resolve) => socket.once('disconnect', resolve))),
    )
    await platform.admin('DELETE', `/admin/clients/${user.id}/token`, { token })
    assert.deepEqual(await ended, ['io server disconnect', 'io server disconnect'])
  })
})
