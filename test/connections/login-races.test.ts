import assert from 'node:assert/strict'
import { io, type Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { connectClient, eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'

type Answer = { RC: number; result: { _id: string } }
/** Enough to hit a race with even odds at least once. */
const tries = 20

describe('a socket belongs to one user at a time', () => {
  let platform: Platform
  let node: RunningService
  let witness: Socket
  const heardByWitness = new Set<unknown>()

  beforeAll(async () => {
    platform = await startPlatform()
    await platform.start('api-gateway')
    node = await platform.start('realtime', { PARLEY_REALTIME_EVENTS_PER_SECOND: '0' })
    witness = await platform.connect(node, await platform.newUser('witness'))
    witness.on('chat message', ({ message }) => heardByWitness.add(message))
  })
  afterAll(async () => {
    witness?.close()
    await platform.stop()
  })

  /** Sends to a room; resolves when the node has delivered it. */
  async function say(room: string, message: string): Promise<void> {
    await platform.admin('POST', '/messages', { room, sender: 'witness', message, messageType: 'text' })
    await eventually('the witness hears it', () => heardByWitness.has(message))
  }
  async function connected(): Promise<Socket> {
    const socket = io(node.url, { transports: ['websocket'], forceNew: true, reconnection: false })
    await new Promise<void>((resolve) => socket.once('connect', resolve))
    return socket
  }

  const endings: Record<string, (first: string) => Promise<unknown>> = {
    'is still there': () => Promise.resolve(),
    'is removed from the room': (first) =>
      platform.admin('POST', `/rooms/of%20${first}/delete/members`, { members: [first] }),
    'has their token revoked': (first) => platform.admin('DELETE', `/admin/clients/${first}/token`, {}),
    'is erased': (first) => platform.admin('DELETE', `/admin/clients/${first}`),
  }
  for (const [i, [what, end]] of Object.entries(endings).entries()) {
    test(`two auth2 at once: the second user gets nothing of the first one’s rooms if the first ${what}`, async () => {
      const [first, second] = [`first-${i}`, `second-${i}`]
      const tokens = [(await platform.newUser(first)).token, (await platform.newUser(second)).token]
      for (const user of [first, second]) {
        await platform.admin('POST', '/rooms/', { _id: `of ${user}`, roomType: 'group', members: [user, 'witness'] })
      }
      const sockets = await Promise.all(Array.from({ length: tries }, connected))
      const heard = new Map<Socket, unknown[]>(sockets.map((socket) => [socket, []]))
      for (const [socket, messages] of heard) socket.on('chat message', ({ message }) => messages.push(message))
      const answers = await Promise.all(
        sockets.map((socket) =>
          Promise.all(tokens.map((token) => socket.emitWithAck('auth2', token) as Promise<Answer>)),
        ),
      )
      for (const both of answers) {
        assert.deepEqual(
          both.map(({ RC, result }) => [RC, result._id]),
          [
            [0, first],
            [0, second],
          ],
        )
      }
      await end(first)
      await say(`of ${first}`, `to the first ${i}`)
      await say(`of ${second}`, `to the second ${i}`)
      await eventually('all hear the second room', () => [...heard.values()].every((messages) => messages.length > 0))
      for (const messages of heard.values()) assert.deepEqual(messages, [`to the second ${i}`])
      for (const socket of sockets) socket.close()
    })
  }

  test('a socket that authenticates again misses no message', async () => {
    const token = (await platform.newUser('again')).token
    await platform.admin('POST', '/rooms/', { _id: 'of again', roomType: 'group', members: ['again', 'witness'] })
    const socket = await connectClient(node.url, token)
    const heard: unknown[] = []
    socket.on('chat message', ({ message }) => heard.push(message))
    const again = { isOver: false, logins: 0 }
    const logins = (async () => {
      for (; !again.isOver; again.logins++) {
        assert.equal(((await socket.emitWithAck('auth2', token)) as Answer).RC, 0)
      }
    })()
    const said: string[] = []
    while (said.length < 50 || again.logins < 10) {
      said.push(`again ${said.length}`)
      await say('of again', said.at(-1) ?? '')
    }
    again.isOver = true
    await logins
    await eventually('the last one', () => heard.length >= said.length)
    assert.deepEqual(heard, said)
    socket.close()
  })
})
