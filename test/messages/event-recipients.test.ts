import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { serverEvents } from '@parley/contracts/socket/server-events'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'
import { concerns, type Device, everyone, type Fields, rows, type Scene, type Who } from './event-rows.ts'

/** The interface's rows about payloads, by event. Every test compares the whole payload. */
const payloadRows: Record<string, string[]> = {
  'chat message': ['the payload is a Message'],
  room: ['the payload is a Room'],
  lastRead: ['payload.roomID', 'payload.memberID', 'payload.messageID'],
  typing: ['payload.room', 'payload.message'],
  ai_streaming: ['payload.room', 'payload.sender', 'payload.text'],
  roomPref: ['room', 'folder', 'hidden', 'muted', 'sticky', 'tags'].map((name) => `payload.${name}`),
  myPrefChange: ['payload.data', 'payload.key'],
  myPrefDelete: ['the payload is the bare key'],
  invitation: ['the payload is an Invitation'],
  userDeleteMessages: ['payload.room', 'payload.messages', 'payload.isUserDeleteAllMessagesInRoom'],
  messageDeleted: ['payload.room', 'payload.messageID'],
}

describe('every event of the interface', () => {
  let platform: Platform
  let users: Record<Who, PlatformUser>
  const devices: Device[] = []

  beforeAll(async () => {
    platform = await startPlatform()
    await platform.start('api-gateway')
    const nodes = await Promise.all([platform.start('realtime'), platform.start('realtime')])
    users = {
      alice: await platform.newUser('alice'),
      bob: await platform.newUser('bob'),
      robot: await platform.newUser('robot', { isRobot: true }),
      stranger: await platform.newUser('stranger'),
    }
    for (const name of [...everyone, 'stranger 1']) {
      const [user, number] = name.split(' ') as [Who, string]
      const encoding = devices.length % 2 ? { encoding: 'base64' } : {}
      const node = devices.length % 2 === Number(number) % 2 ? nodes[0] : nodes[1]
      devices.push(await connect(node, name, user, encoding))
    }
  })
  afterAll(async () => {
    for (const { socket } of devices) socket.close()
    await platform.stop()
  })

  async function connect(node: RunningService, name: string, user: Who, options: object): Promise<Device> {
    const socket = await platform.connect(node, users[user], { deviceId: name, ...options })
    const device: Device = { name, user, socket, events: [] }
    socket.onAny((event: string, payload: unknown) => {
      const isBase64 = 'encoding' in options
      assert.equal(isBase64 ? typeof payload : 'string', 'string')
      const plain = isBase64 ? JSON.parse(Buffer.from(String(payload), 'base64').toString()) : payload
      device.events.push({ event, payload: plain })
    })
    return device
  }

  const as: Scene['as'] = (user, method, to, body) =>
    users[user].call(method, to, body, { 'im-device-id': `${user} 1` })

  async function newScene(): Promise<Scene> {
    const room = await platform.newRoom(['alice', 'bob', 'robot'], { owner: 'alice' })
    const first = { room, sender: 'bob', message: 'first', messageType: 'text' }
    const { _id } = await platform.admin('POST', '/messages', first)
    const emit = async (user: Who, event: string, body: unknown) => {
      const device = devices.find(({ name }) => name === `${user} 1`) as Device
      const ack = (await device.socket.emitWithAck(event, body)) as { RC: number; result: Fields }
      assert.equal(ack.RC, 0, JSON.stringify(ack))
      return ack.result
    }
    return { room, message: String(_id), as, admin: platform.admin, emit }
  }

  /** Waits until all events in flight have arrived, by sending a last event to each device. */
  async function allHeard(): Promise<void> {
    const fence = await platform.admin('POST', '/rooms/', {
      roomType: 'group',
      members: ['alice', 'bob', 'robot', 'stranger'],
    })
    const last = await platform.admin('POST', '/messages', {
      room: fence['_id'],
      sender: 'alice',
      message: 'fence',
      messageType: 'f',
    })
    for (const user of ['alice', 'bob', 'robot', 'stranger']) {
      await platform.admin('POST', `/admin/clients/${user}/mute/${String(fence['_id'])}`)
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
      const payload = payloadRows[row.event]
      if (payload) proves(`event ${row.event}`, ...payload, ...(row.proves ?? []))
      const scene = await newScene()
      await row.prepare?.(scene)
      await allHeard()
      for (const device of devices) device.events.length = 0
      const wanted = await row.act(scene)
      await allHeard()
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

  test('the table covers every event', () => {
    // No operation emits the excluded events; since.test.ts and presence.test.ts test them.
    const ofOperations = Object.keys(serverEvents).filter((name) => !['serverTime', 'presence'].includes(name))
    assert.deepEqual(new Set(rows.map(({ event }) => event)), new Set(ofOperations))
  })
})
