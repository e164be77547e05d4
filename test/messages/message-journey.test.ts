import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  eventually,
  type Platform,
  type PlatformUser,
  type RunningService,
  startPlatformWithNodes,
} from '../platform.ts'

/** IDs can be any strings. Every step must handle these. */
const oddIds = [
  'a.b',
  'a b',
  '*',
  '>',
  'parley.>',
  '"quoted\'',
  '😀👍🏽',
  'a/b?c#d%2F',
  '..a',
  'ünï',
  '__proto__',
  '$where',
  'x'.repeat(128),
]

interface Member {
  socket: Socket
  events: { event: string; payload: unknown }[]
}

interface Message {
  _id: string
  sender: object
}

/** The sender's login is recorded concurrently, so the history may have a later login time than the event. */
function withoutLoginTime({ sender, ...message }: Message): object {
  return { ...message, sender: { ...sender, lastLoginTimeMS: 0 } }
}

describe('a message travels from REST to every device', () => {
  let platform: Platform
  let nodes: [RunningService, RunningService]

  beforeAll(async () => {
    ;({ platform, nodes } = await startPlatformWithNodes())
  })
  afterAll(() => platform.stop())

  async function connect(user: PlatformUser, node: 0 | 1, options: object = {}): Promise<Member> {
    const socket = await platform.connect(nodes[node], user, options)
    const member: Member = { socket, events: [] }
    socket.onAny((event: string, payload: unknown) => member.events.push({ event, payload }))
    return member
  }

  test('POST /messages reaches members on different nodes, by WebSocket and polling, plain and base64', async () => {
    proves('Events', 'with base64, each payload is a string to decode and then parse as JSON')
    proves('Events', 'the same message has the same _id in every event, to de-duplicate by')
    proves('Authentication of a socket', 'conf {encoding: base64} is acknowledged')
    const [alice, bob] = [await platform.newUser('alice'), await platform.newUser('bob')]
    const room = await platform.newRoom(['alice', 'bob'])
    const members = await Promise.all([
      connect(alice, 0),
      connect(alice, 1, { transports: ['polling'] }),
      connect(bob, 0, { transports: ['polling'], encoding: 'base64' }),
      connect(bob, 1, { encoding: 'base64' }),
    ])
    const message = { room, sender: 'alice', message: { text: 'grüß 😀' }, messageType: 'text' }
    const sent = await platform.admin('POST', '/messages', message)
    const { data } = await bob.call('GET', `/rooms/${room}/messages/v3`)
    const [stored] = data as [Message]
    for (const [i, member] of members.entries()) {
      const { payload } = await eventually('chat message', () =>
        member.events.find(({ event }) => event === 'chat message'),
      )
      const decoded = (i < 2 ? payload : JSON.parse(Buffer.from(String(payload), 'base64').toString())) as Message
      assert.equal(typeof payload, i < 2 ? 'object' : 'string')
      assert.deepEqual(
        withoutLoginTime(decoded),
        withoutLoginTime(stored),
        'the event equals the message in the history',
      )
      assert.equal(decoded._id, sent['_id'])
    }
    for (const { socket } of members) socket.close()
  })

  test('PUT lastRead reaches all members, and the badge follows', async () => {
    proves('PUT /rooms/{id}/lastRead', 'body.message', 'lastRead is broadcast to all members of the room')
    const [carol, dave] = [await platform.newUser('carol'), await platform.newUser('dave')]
    const members = [await connect(carol, 0), await connect(dave, 1)]
    const room = await platform.newRoom(['carol', 'dave'])
    const message = { room, sender: 'carol', message: 1, messageType: 'n' }
    const { _id: messageID } = await platform.admin('POST', '/messages', message)
    assert.deepEqual(await dave.call('GET', '/me/badge'), { badge: 1 })
    await dave.call('PUT', `/rooms/${room}/lastRead`, { message: messageID })
    for (const { events } of members) {
      const { payload } = await eventually('lastRead', () => events.find(({ event }) => event === 'lastRead'))
      assert.deepEqual(payload, { roomID: room, memberID: 'dave', messageID })
    }
    assert.deepEqual(await dave.call('GET', '/me/badge'), { badge: 0 })
    for (const { socket } of members) socket.close()
  })

  test('the emit chat message sends a message and is acknowledged with the envelope', async () => {
    const erin = await connect(await platform.newUser('erin'), 0)
    const room = await platform.newRoom(['erin'])
    const ack = await erin.socket.emitWithAck('chat message', { room, message: 'hi', messageType: 'text' })
    assert.partialDeepStrictEqual(ack, { RC: 0, RM: 'OK', result: { room, sender: 'erin', message: 'hi', seq: 1 } })
    await eventually('its own message', () => erin.events.some(({ event }) => event === 'chat message'))
    const refused = await erin.socket.emitWithAck('chat message', {
      room: 'nowhere',
      message: 'hi',
      messageType: 'text',
    })
    assert.partialDeepStrictEqual(refused, { RC: 404, error: { code: 'ROOM_NOT_FOUND' } })
    erin.socket.close()
  })

  for (const odd of oddIds) {
    test(`the ID ${JSON.stringify(odd.slice(0, 20))} works as user and room ID from REST to socket events`, async () => {
      const user = await platform.newUser(odd)
      const member = await connect(user, 0)
      const room = await platform.newRoom([odd], { _id: odd })
      assert.equal(room, odd)
      await platform.admin('POST', '/messages', { room, sender: odd, message: 'x', messageType: 't' })
      const { payload } = await eventually('chat message', () =>
        member.events.find(({ event }) => event === 'chat message'),
      )
      assert.partialDeepStrictEqual(payload, { room: odd, sender: { _id: odd } })
      const history = await user.call('GET', `/rooms/${encodeURIComponent(odd)}/messages/v3`)
      assert.equal(history['totalCount'], 1)
      assert.equal((await user.call('GET', '/rooms'))['totalCount'], 1)
      member.socket.close()
    })
  }
})
