import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Socket } from 'socket.io-client'
import { call, connectClient, eventually, type Platform, type RunningService, startPlatform } from './platform.ts'

/** IDs are free strings: nothing on the way may break on one. */
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
  id: string
  token: string
  socket: Socket
  events: { event: string; payload: unknown }[]
}

suite('a message travels from REST to every device', { timeout: 120_000 }, () => {
  let platform: Platform
  let gateway: RunningService
  let nodes: RunningService[]
  const admin = () => ({ 'im-api-key': platform.apiKey })
  const client = (member: Pick<Member, 'token'>) => ({
    'im-client-key': platform.clientKey,
    'im-authorization': member.token,
  })

  before(async () => {
    platform = await startPlatform()
    gateway = await platform.start('api-gateway')
    nodes = await Promise.all([platform.start('realtime'), platform.start('realtime')])
  })
  after(() => platform.stop())

  async function newUser(id: string): Promise<string> {
    const { status, body } = await call(gateway.url, 'POST', '/admin/clients', admin(), {
      _id: id,
      issueAccessToken: true,
    })
    assert.equal(status, 200, JSON.stringify(body))
    return String(body.result['token'])
  }

  async function connect(id: string, token: string, node: number, options: object = {}): Promise<Member> {
    const socket = await connectClient((nodes[node] as RunningService).url, token, options)
    const member: Member = { id, token, socket, events: [] }
    socket.onAny((event: string, payload: unknown) => member.events.push({ event, payload }))
    return member
  }

  const newRoom = async (members: string[], fields = {}) => {
    const { status, body } = await call(gateway.url, 'POST', '/rooms/', admin(), {
      roomType: 'group',
      members,
      ...fields,
    })
    assert.equal(status, 200, JSON.stringify(body))
    return String(body.result['_id'])
  }

  test('POST /messages reaches members on different nodes, by WebSocket and polling, plain and base64', async () => {
    const tokens = [await newUser('alice'), await newUser('bob')] as const
    const room = await newRoom(['alice', 'bob'])
    const members = await Promise.all([
      connect('alice', tokens[0], 0),
      connect('alice', tokens[0], 1, { transports: ['polling'] }),
      connect('bob', tokens[1], 0, { transports: ['polling'], encoding: 'base64' }),
      connect('bob', tokens[1], 1, { encoding: 'base64' }),
    ])
    const message = { room, sender: 'alice', message: { text: 'grüß 😀' }, messageType: 'text' }
    const sent = await call(gateway.url, 'POST', '/messages', admin(), message)
    const { body: history } = await call(gateway.url, 'GET', `/rooms/${room}/messages/v3`, client(members[2]))
    const stored = (history.result['data'] as unknown[])[0]
    for (const [i, member] of members.entries()) {
      const { payload } = await eventually('chat message', () =>
        member.events.find(({ event }) => event === 'chat message'),
      )
      const decoded = (i < 2 ? payload : JSON.parse(Buffer.from(String(payload), 'base64').toString())) as {
        _id: string
      }
      assert.equal(typeof payload, i < 2 ? 'object' : 'string')
      assert.deepEqual(decoded, stored, 'the event is the message as the history has it')
      assert.equal(decoded._id, sent.body.result['_id'])
    }
    for (const { socket } of members) socket.close()
  })

  test('PUT lastRead reaches all members, and the badge follows', async () => {
    const [carol, dave] = [
      await connect('carol', await newUser('carol'), 0),
      await connect('dave', await newUser('dave'), 1),
    ]
    const room = await newRoom(['carol', 'dave'])
    const { body } = await call(gateway.url, 'POST', '/messages', admin(), {
      room,
      sender: 'carol',
      message: 1,
      messageType: 'n',
    })
    const badge = async () => (await call(gateway.url, 'GET', '/me/badge', client(dave))).body.result['badge']
    assert.equal(await badge(), 1)
    const messageID = body.result['_id']
    await call(gateway.url, 'PUT', `/rooms/${room}/lastRead`, client(dave), { message: messageID })
    for (const { events } of [carol, dave]) {
      const { payload } = await eventually('lastRead', () => events.find(({ event }) => event === 'lastRead'))
      assert.deepEqual(payload, { roomID: room, memberID: 'dave', messageID })
    }
    assert.equal(await badge(), 0)
    carol.socket.close()
    dave.socket.close()
  })

  test('a socket sends by the emit chat message and is acknowledged with the envelope', async () => {
    const erin = await connect('erin', await newUser('erin'), 0)
    const room = await newRoom(['erin'])
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
    test(`the ID ${JSON.stringify(odd.slice(0, 20))} works as user and as room, through to the socket events`, async () => {
      const member = await connect(odd, await newUser(odd), 0)
      const room = await newRoom([odd], { _id: odd })
      assert.equal(room, odd)
      const { status } = await call(gateway.url, 'POST', '/messages', admin(), {
        room,
        sender: odd,
        message: 'x',
        messageType: 't',
      })
      assert.equal(status, 200)
      const { payload } = await eventually('chat message', () =>
        member.events.find(({ event }) => event === 'chat message'),
      )
      assert.partialDeepStrictEqual(payload, { room: odd, sender: { _id: odd } })
      const headers = { ...client(member), 'im-client-id': encodeURIComponent(odd) }
      const history = await call(gateway.url, 'GET', `/rooms/${encodeURIComponent(odd)}/messages/v3`, headers)
      assert.equal(history.body.result['totalCount'], 1)
      const rooms = await call(gateway.url, 'GET', '/rooms', headers)
      assert.equal(rooms.body.result['totalCount'], 1)
      member.socket.close()
    })
  }
})
