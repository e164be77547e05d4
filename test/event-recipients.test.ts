import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { serverEvents } from '@parley/contracts/socket/server-events'
import type { Socket } from 'socket.io-client'
import { call, connectClient, eventually, type Platform, type RunningService, startPlatform } from './platform.ts'

type Who = 'alice' | 'bob' | 'robot' | 'stranger'
type Fields = Record<string, unknown>

/** A connected device; half of them have base64. */
interface Device {
  name: string
  user: Who
  socket: Socket
  events: { event: string; payload: unknown }[]
}

/** What a row works on: a room of its own with alice (owner), bob and robot, and one message of bob in it. */
interface Scene {
  room: string
  message: string
  /** As a user from his first device, with the header IM-DEVICE-ID. */
  as: (user: Who, method: string, path: string, body?: unknown) => Promise<Fields>
  admin: (method: string, path: string, body?: unknown) => Promise<Fields>
  emit: (user: Who, event: string, body: unknown) => Promise<Fields>
}

interface Row {
  event: string
  operation: string
  /** Does the operation; answers the exact payload. */
  act(scene: Scene): Promise<unknown>
  /** Names of the devices that get it, in order; all others must not. */
  reaches: string[]
}

const everyone = ['alice 1', 'alice 2', 'bob 1', 'bob 2', 'robot 1']
const path = encodeURIComponent

/** The message as it is in the history: what its events carry. */
async function stored(scene: Scene, id: unknown): Promise<unknown> {
  const { data } = (await scene.as('alice', 'GET', `/rooms/${path(scene.room)}/messages/v3?limit=500`)) as {
    data: Fields[]
  }
  return data.find(({ _id }) => _id === id)
}

async function sent(scene: Scene, answer: Promise<Fields>): Promise<unknown> {
  return stored(scene, (await answer)['_id'])
}

/** Of a room as its members see it, what everybody sees. */
async function room(scene: Scene): Promise<unknown> {
  const {
    unread: _u,
    muted: _m,
    pref: _p,
    lastMessage: _l,
    ...shown
  } = await scene.as('alice', 'GET', `/rooms/${scene.room}`)
  return shown
}

const rows: Row[] = [
  {
    event: 'chat message',
    operation: 'POST /messages',
    act: (scene) =>
      sent(
        scene,
        scene.admin('POST', '/messages', { room: scene.room, sender: 'alice', message: { a: 'ü' }, messageType: 'x' }),
      ),
    reaches: everyone,
  },
  {
    event: 'chat message',
    operation: 'POST /rooms/{id}/message',
    act: (scene) =>
      sent(scene, scene.as('bob', 'POST', `/rooms/${scene.room}/message`, { message: 1, messageType: 'n' })),
    reaches: everyone,
  },
  {
    event: 'chat message',
    operation: 'the emit chat message',
    act: (scene) =>
      sent(scene, scene.emit('alice', 'chat message', { room: scene.room, message: 'hi', messageType: 'text' })),
    reaches: everyone,
  },
  {
    event: 'messageUpdated',
    operation: 'editing by POST /rooms/{id}/message with _id',
    act: (scene) => {
      const edit = { _id: scene.message, message: 'edited' }
      return sent(scene, scene.as('bob', 'POST', `/rooms/${scene.room}/message`, edit))
    },
    reaches: everyone,
  },
  {
    event: 'messageUpdated',
    operation: 'recalling',
    act: (scene) => {
      const recall = { _id: scene.message, messageType: 'recall' }
      return sent(scene, scene.as('bob', 'POST', `/rooms/${scene.room}/message`, recall))
    },
    reaches: everyone,
  },
  {
    event: 'messageUpdated',
    operation: 'POST /messages/{id}/reaction',
    act: (scene) => sent(scene, scene.as('alice', 'POST', `/messages/${scene.message}/reaction`, { reaction: '👍' })),
    reaches: everyone,
  },
  {
    event: 'messageUpdated',
    operation: 'POST /messages/{id}/pin',
    act: (scene) => sent(scene, scene.as('alice', 'POST', `/messages/${scene.message}/pin`)),
    reaches: everyone,
  },
  {
    event: 'messageDeleted',
    operation: 'DELETE /rooms/{roomID}/messages/{messageID}',
    act: async (scene) => {
      await scene.as('alice', 'DELETE', `/rooms/${scene.room}/messages/${scene.message}`)
      return { room: scene.room, messageID: scene.message }
    },
    reaches: everyone,
  },
  {
    event: 'messageDeleted',
    operation: 'DELETE /rooms/{roomID}/messages/_all',
    act: async (scene) => {
      await scene.admin('DELETE', `/rooms/${scene.room}/messages/_all`)
      return { room: scene.room, messageID: '_all' }
    },
    reaches: everyone,
  },
  {
    event: 'userDeleteMessages',
    operation: 'POST /messages/user-delete',
    act: async (scene) => {
      await scene.as('alice', 'POST', '/messages/user-delete', { room: scene.room, messages: [scene.message] })
      return { room: scene.room, messages: [scene.message], isUserDeleteAllMessagesInRoom: false }
    },
    reaches: ['alice 1', 'alice 2'],
  },
  {
    event: 'userDeleteMessages',
    operation: 'POST /messages/user-delete/all-in-room',
    act: async (scene) => {
      await scene.as('alice', 'POST', '/messages/user-delete/all-in-room', { room: scene.room })
      return { room: scene.room, messages: [], isUserDeleteAllMessagesInRoom: true }
    },
    reaches: ['alice 1', 'alice 2'],
  },
  {
    event: 'room',
    operation: 'PUT /rooms/{id}',
    act: async (scene) => {
      await scene.as('alice', 'PUT', `/rooms/${scene.room}`, { name: 'New ü', roomTags: ['t'] })
      return room(scene)
    },
    reaches: everyone,
  },
  {
    event: 'room',
    operation: 'POST /rooms/{id}/members',
    act: async (scene) => {
      await scene.as('alice', 'POST', `/rooms/${scene.room}/members`, { invitees: ['stranger'] })
      return room(scene)
    },
    reaches: [...everyone, 'stranger 1'],
  },
  {
    event: 'room',
    operation: 'POST /rooms/{id}/delete/members',
    act: async (scene) => {
      await scene.as('alice', 'POST', `/rooms/${scene.room}/delete/members`, { members: ['bob'] })
      return room(scene)
    },
    reaches: ['alice 1', 'alice 2', 'robot 1'],
  },
  {
    event: 'room',
    operation: 'PUT /rooms/{id}/member/{client}',
    act: async (scene) => {
      await scene.as('alice', 'PUT', `/rooms/${scene.room}/member/bob`, { property: 'role', value: 'admin' })
      return room(scene)
    },
    reaches: everyone,
  },
  {
    event: 'room',
    operation: 'DELETE /rooms/{id}',
    act: async (scene) => ({
      ...((await room(scene)) as Fields),
      ...(await scene.as('alice', 'DELETE', `/rooms/${scene.room}`)),
    }),
    reaches: everyone,
  },
  {
    event: 'lastRead',
    operation: 'PUT /rooms/:id/lastRead',
    act: async (scene) => {
      await scene.as('alice', 'PUT', `/rooms/${scene.room}/lastRead`, { message: scene.message })
      return { roomID: scene.room, memberID: 'alice', messageID: scene.message }
    },
    reaches: everyone,
  },
  {
    event: 'lastRead',
    operation: 'the emit lastRead',
    act: async (scene) => {
      await scene.emit('alice', 'lastRead', { room: scene.room, message: scene.message })
      return { roomID: scene.room, memberID: 'alice', messageID: scene.message }
    },
    reaches: everyone,
  },
  {
    event: 'typing',
    operation: 'POST /rooms/{id}/typing',
    act: async (scene) => {
      await scene.as('alice', 'POST', `/rooms/${scene.room}/typing`, { message: 'Hel' })
      return { room: scene.room, message: 'Hel', sender: 'alice' }
    },
    reaches: ['bob 1', 'bob 2', 'robot 1'],
  },
  {
    event: 'typing',
    operation: 'the emit typing',
    act: async (scene) => {
      await scene.emit('bob', 'typing', { room: scene.room, message: '' })
      return { room: scene.room, message: '', sender: 'bob' }
    },
    reaches: ['alice 1', 'alice 2', 'robot 1'],
  },
  {
    event: 'ai_streaming',
    operation: 'POST /rooms/{id}/aiStreaming',
    act: async (scene) => {
      await scene.admin('POST', `/rooms/${scene.room}/aiStreaming`, { sender: 'robot', text: 'Once' })
      return { room: scene.room, sender: 'robot', text: 'Once' }
    },
    reaches: everyone,
  },
  {
    event: 'ai_streaming',
    operation: 'the emit ai_streaming',
    act: async (scene) => {
      await scene.emit('robot', 'ai_streaming', { room: scene.room, text: 'upon' })
      return { room: scene.room, sender: 'robot', text: 'upon' }
    },
    reaches: everyone,
  },
  {
    event: 'invitation',
    operation: 'POST /rooms/{id}/members with invitationRequired',
    act: async (scene) => {
      const invitees = { invitees: ['stranger'], invitationRequired: true }
      const { invitations } = await scene.as('alice', 'POST', `/rooms/${scene.room}/members`, invitees)
      return (invitations as unknown[])[0]
    },
    reaches: ['stranger 1'],
  },
  {
    event: 'roomPref',
    operation: 'POST /roomPrefs/{room}',
    act: (scene) => scene.as('alice', 'POST', `/roomPrefs/${scene.room}`, { sticky: true, tags: ['ü'] }),
    reaches: ['alice 2'],
  },
  {
    event: 'roomPref',
    operation: 'POST /me/mute/{room}',
    act: async (scene) => {
      await scene.as('alice', 'POST', `/me/mute/${scene.room}`)
      const { pref } = await scene.as('alice', 'GET', `/rooms/${scene.room}`)
      return { room: scene.room, ...(pref as Fields) }
    },
    reaches: ['alice 2'],
  },
  {
    event: 'myPrefChange',
    operation: 'POST /me/pref/{key}',
    act: async (scene) => {
      await scene.as('alice', 'POST', '/me/pref/theme', { data: { dark: true } })
      return { data: { dark: true }, key: 'theme' }
    },
    reaches: ['alice 2'],
  },
  {
    event: 'myPrefDelete',
    operation: 'DELETE /me/pref/{key}',
    act: async (scene) => {
      await scene.as('alice', 'POST', '/me/pref/gone', { data: 1 })
      await scene.as('alice', 'DELETE', '/me/pref/gone')
      return 'gone'
    },
    reaches: ['alice 2'],
  },
]

suite('every event of the interface', { timeout: 180_000 }, () => {
  let platform: Platform
  let gateway: RunningService
  let tokens: Record<Who, string>
  const devices: Device[] = []

  before(async () => {
    platform = await startPlatform()
    gateway = await platform.start('api-gateway')
    const nodes = await Promise.all([platform.start('realtime'), platform.start('realtime')])
    const newUser = async (_id: Who) =>
      String(
        (await admin('POST', '/admin/clients', { _id, isRobot: _id === 'robot', issueAccessToken: true }))['token'],
      )
    tokens = {
      alice: await newUser('alice'),
      bob: await newUser('bob'),
      robot: await newUser('robot'),
      stranger: await newUser('stranger'),
    }
    for (const name of [...everyone, 'stranger 1']) {
      const [user, number] = name.split(' ') as [Who, string]
      const encoding = devices.length % 2 ? { encoding: 'base64' } : {}
      const node = devices.length % 2 === Number(number) % 2 ? nodes[0] : nodes[1]
      devices.push(await connect(node, name, user, tokens[user], encoding))
    }
  })
  after(async () => {
    for (const { socket } of devices) socket.close()
    await platform.stop()
  })

  async function connect(
    node: RunningService,
    name: string,
    user: Who,
    token: string,
    options: object,
  ): Promise<Device> {
    const socket = await connectClient(node.url, token, { deviceId: name, ...options })
    const device: Device = { name, user, socket, events: [] }
    socket.onAny((event: string, payload: unknown) => {
      const isBase64 = 'encoding' in options
      assert.equal(isBase64 ? typeof payload : 'string', 'string')
      const plain = isBase64 ? JSON.parse(Buffer.from(String(payload), 'base64').toString()) : payload
      device.events.push({ event, payload: plain })
    })
    return device
  }

  async function rest(method: string, to: string, headers: Record<string, string>, body?: unknown): Promise<Fields> {
    const answer = await call(gateway.url, method, to, headers, body)
    assert.equal(answer.status, 200, `${method} ${to}: ${JSON.stringify(answer.body)}`)
    return answer.body.result
  }
  const admin = (method: string, to: string, body?: unknown) =>
    rest(method, to, { 'im-api-key': platform.apiKey }, body)
  const as = (user: Who, method: string, to: string, body?: unknown) => {
    const device = { 'im-device-id': `${user} 1` }
    return rest(method, to, { 'im-client-key': platform.clientKey, 'im-authorization': tokens[user], ...device }, body)
  }

  async function newScene(): Promise<Scene> {
    const made = await admin('POST', '/rooms/', {
      roomType: 'group',
      members: ['alice', 'bob', 'robot'],
      owner: 'alice',
    })
    const in_ = String(made['_id'])
    const { _id } = await admin('POST', '/messages', {
      room: in_,
      sender: 'bob',
      message: 'first',
      messageType: 'text',
    })
    const emit = async (user: Who, event: string, body: unknown) => {
      const device = devices.find(({ name }) => name === `${user} 1`) as Device
      const ack = (await device.socket.emitWithAck(event, body)) as { RC: number; result: Fields }
      assert.equal(ack.RC, 0, JSON.stringify(ack))
      return ack.result
    }
    return { room: in_, message: String(_id), as, admin, emit }
  }

  /** Everything that was on its way to the devices has arrived: an event to each, sent last, is there. */
  async function settled(): Promise<void> {
    const fence = await admin('POST', '/rooms/', { roomType: 'group', members: ['alice', 'bob', 'robot', 'stranger'] })
    const last = await admin('POST', '/messages', {
      room: fence['_id'],
      sender: 'alice',
      message: 'fence',
      messageType: 'f',
    })
    for (const user of ['alice', 'bob', 'robot', 'stranger']) {
      await admin('POST', `/admin/clients/${user}/mute/${String(fence['_id'])}`)
    }
    for (const device of devices) {
      const has = (event: string, field: string, value: unknown) =>
        device.events.some((heard) => heard.event === event && (heard.payload as Fields)[field] === value)
      await eventually(`the fence at ${device.name}`, () => has('chat message', '_id', last['_id']))
      await eventually(`the fence of the user at ${device.name}`, () => has('roomPref', 'room', fence['_id']))
    }
  }

  for (const row of rows) {
    test(`${row.event} by ${row.operation} reaches ${row.reaches.join(', ')} and nobody else`, async () => {
      const scene = await newScene()
      await settled()
      for (const device of devices) device.events.length = 0
      const wanted = await row.act(scene)
      await settled()
      const got = devices.map(({ name, events }) => ({
        name,
        payloads: events
          .filter(({ event, payload }) => event === row.event && concerns(payload, scene, row))
          .map(({ payload }) => payload),
      }))
      assert.deepEqual(
        got.filter(({ payloads }) => payloads.length > 0).map(({ name }) => name),
        row.reaches,
      )
      for (const { payloads } of got) {
        for (const payload of payloads) {
          assert.deepEqual(payload, wanted)
          assert.deepEqual(serverEvents[row.event as keyof typeof serverEvents].payload.parse(payload), payload)
        }
        assert.ok(payloads.length <= 1, 'once')
      }
    })
  }

  test('the table has every event', () => {
    assert.deepEqual(new Set(rows.map(({ event }) => event)), new Set(Object.keys(serverEvents)))
  })
})

/** Whether it is of the row, not of the fences: those are other rooms. */
function concerns(payload: unknown, scene: Scene, { event }: Row): boolean {
  if (event === 'myPrefChange' || event === 'myPrefDelete') return true
  const { room: in_, roomID, _id } = payload as Fields
  return [in_, roomID, event === 'room' ? _id : undefined].includes(scene.room)
}
