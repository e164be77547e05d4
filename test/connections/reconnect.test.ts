import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { io, type Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { eventually, type Fields, type Platform, type RunningService, startPlatformWithNode } from '../platform.ts'

describe('a client that reconnects', () => {
  let platform: Platform
  let node: RunningService
  beforeAll(async () => {
    ;({ platform, node } = await startPlatformWithNode())
  })
  afterAll(() => platform.stop())

  /** A stock client with its defaults, which reconnects by itself. */
  const client = (): Socket => {
    const socket = io(node.url, { transports: ['websocket'], forceNew: true, reconnectionDelay: 10 })
    onTestFinished(() => void socket.close())
    return socket
  }
  const connected = (socket: Socket) => new Promise<void>((resolve) => socket.once('connect', resolve))
  const send = async (room: string, message: string) =>
    (await platform.admin('POST', '/messages', { room, sender: 'bob', message, messageType: 'text' }))['_id']

  test('authenticates again, gets new events, and fetches missed messages by REST', async () => {
    proves('Authentication of a socket', 'auth2 again after a reconnect')
    proves('Events', 'delivered only while connected')
    proves('Events', 'after a reconnect, the messages and GET /me/badge cover the gap')
    const alice = await platform.newUser('alice')
    const witness = await platform.connect(node, await platform.newUser('bob'))
    const heardByWitness: string[] = []
    witness.on('chat message', ({ message }: { message: string }) => heardByWitness.push(message))
    const room = await platform.newRoom(['alice', 'bob'])
    const socket = client()
    const heard: string[] = []
    socket.on('chat message', ({ message }: { message: string }) => heard.push(message))
    await connected(socket)
    assert.equal((await socket.emitWithAck('auth2', alice.token, { deviceId: 'phone' })).RC, 0)
    const first = await send(room, 'first')
    await eventually('the first message', () => heard.includes('first'))

    const reconnected = connected(socket)
    socket.io.engine.close()
    await reconnected
    const missed = await send(room, 'missed')
    await eventually('the node has delivered it', () => heardByWitness.includes('missed'))
    assert.equal((await socket.emitWithAck('auth2', alice.token, { deviceId: 'phone' })).RC, 0)
    await send(room, 'later')
    await eventually('the later message', () => heard.includes('later'))
    assert.deepEqual(heard, ['first', 'later'])
    witness.close()

    const { data } = await alice.call('GET', `/rooms/${room}/messages/v3?afterMessage=${String(first)}`)
    const [next] = data as [Fields]
    assert.deepEqual([next['_id'], next['message']], [missed, 'missed'])
    assert.deepEqual(await alice.call('GET', '/me/badge'), { badge: 3 })
  })

  test('is refused by auth2 once its token has expired, and accepted with a new one', async () => {
    proves('Authentication of a socket', 'auth2 fails with an expired token')
    const bind = (lifetimeMS: number) => {
      const expirationDate = new Date(Date.now() + lifetimeMS).toISOString()
      return platform.admin('POST', '/admin/clients', { _id: 'carol', token: 'bound', expirationDate })
    }
    await platform.newUser('carol')
    await bind(3_600_000)
    const auth2 = async (token: string) => {
      const socket = client()
      const { RC, error } = await socket.emitWithAck('auth2', token, {})
      socket.close()
      return [RC, error?.code]
    }
    assert.deepEqual(await auth2('bound'), [0, undefined])
    // Binding is refused if the token has expired by then.
    await eventually('a short-lived token is bound', () => bind(1_000).catch(() => undefined))
    await eventually('it has expired', async () => (await auth2('bound'))[0] !== 0)
    assert.deepEqual(await auth2('bound'), [401, 'INVALID_TOKEN'])
    const { token } = await platform.admin('POST', '/admin/clients', { _id: 'carol', issueAccessToken: true })
    assert.deepEqual(await auth2(String(token)), [0, undefined])
  })
  test('stays connected if its token is bound again with a later expiry, and is closed otherwise', async () => {
    const users = ['dora', 'emil'] as const
    for (const id of users) await platform.newUser(id)
    const bind = (id: string, lifetimeMS: number) => {
      const expirationDate = new Date(Date.now() + lifetimeMS).toISOString()
      return platform.admin('POST', '/admin/clients', { _id: id, token: `token of ${id}`, expirationDate })
    }
    /** Connects two clients with short-lived tokens and extends one; undefined if that was too late. */
    const begin = async () => {
      const closed: string[] = []
      const inTimeMS = Date.now() + 2_000
      const sockets = await Promise.all(
        users.map(async (id) => {
          await bind(id, 6_000)
          const socket = client()
          await socket.emitWithAck('auth2', `token of ${id}`, {})
          socket.on('disconnect', (reason) => closed.push(`${id} ${reason}`))
          return socket
        }),
      )
      await bind('dora', 3_600_000)
      if (Date.now() < inTimeMS) return { dora: sockets[0] as Socket, closed }
      for (const socket of sockets) socket.close()
      return undefined
    }
    const { dora, closed } = await eventually('one of two tokens is extended before it expires', begin)
    await eventually('the other ends', () => closed.length > 0)
    assert.deepEqual(closed, ['emil io server disconnect'])
    const room = await platform.newRoom(['dora'])
    const { RC } = await dora.emitWithAck('chat message', { room, message: 'still here', messageType: 'text' })
    assert.equal(RC, 0)
  })
})
