import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { serverEvents } from '@parley/contracts/socket/server-events'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type CallbackDouble, startCallback } from '../doubles/callback.ts'
import { startStallingProxy } from '../doubles/stalling-proxy.ts'
import {
  concerns,
  type Device,
  everyone,
  type Fields,
  type Row,
  rows,
  type Scene,
  type Who,
} from '../messages/event-rows.ts'
import { call, connectClient, eventually, type RunningService } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from '../push/test-push-platform.ts'

const names = [...everyone, 'stranger 1']
/** typing and ai_streaming are live only and never replayed. */
const durable = rows.filter(({ event }) => serverEvents[event as keyof typeof serverEvents].captured)

describe('every event of a change reaches all recipients', () => {
  let platform: PushPlatform
  let hook: CallbackDouble
  /** The gateway for changes. Reads go to the platform's gateway. */
  let gateway: RunningService
  let tokens: Record<Who, string>
  const devices: Device[] = []

  beforeAll(async () => {
    ;[platform, hook] = await Promise.all([startPushPlatform({ toKill: ['nats'] }), startCallback()])
    gateway = platform.gateway
    const [node] = await Promise.all([platform.start('realtime'), platform.startPush()])
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
    for (const name of names) {
      const user = name.split(' ')[0] as Who
      const socket = await connectClient(node.url, tokens[user], { deviceId: name })
      const device: Device = { name, user, socket, events: [] }
      socket.onAny((event: string, payload: unknown) => device.events.push({ event, payload }))
      devices.push(device)
    }
    const subscription = { type: 'fcm', token: 'away', deviceId: 'away' }
    await as('bob', 'POST', '/me/subscribe', subscription)
  })
  afterAll(async () => {
    for (const { socket } of devices) socket.close()
    await platform.stop()
    await hook.stop()
  })

  async function rest(method: string, to: string, headers: Record<string, string>, body?: unknown): Promise<Fields> {
    const { url } = method === 'GET' ? platform.gateway : gateway
    const answer = await call(url, method, to, headers, body)
    assert.equal(answer.status, 200, `${method} ${to}: ${JSON.stringify(answer.body)}`)
    return answer.body.result
  }
  const admin = (method: string, to: string, body?: unknown) =>
    rest(method, to, { 'im-api-key': platform.apiKey }, body)
  const as = (user: Who, method: string, to: string, body?: unknown) => {
    const headers = { 'im-client-key': platform.clientKey, 'im-authorization': tokens[user] }
    return rest(method, to, { ...headers, 'im-device-id': `${user} 1` }, body)
  }
  const emit = async (user: Who, event: string, body: unknown) => {
    const device = devices.find(({ name }) => name === `${user} 1`)
    const ack = (await device?.socket.emitWithAck(event, body)) as { RC: number; result: Fields }
    assert.equal(ack.RC, 0, JSON.stringify(ack))
    return ack.result
  }

  async function newScenes(of: readonly Row[]): Promise<{ row: Row; scene: Scene }[]> {
    const scenes = []
    for (const row of of) {
      const members = ['alice', 'bob', 'robot']
      const room = String((await admin('POST', '/rooms/', { roomType: 'group', members, owner: 'alice' }))['_id'])
      const first = { room, sender: 'bob', message: 'first', messageType: 'text' }
      const scene = { room, message: String((await admin('POST', '/messages', first))['_id']), as, admin, emit }
      await row.prepare?.(scene)
      scenes.push({ row, scene })
    }
    await eventually('the outbox is empty', async () => (await platform.db.outbox.countDocuments({})) === 0)
    for (const device of devices) device.events.length = 0
    return scenes
  }

  const heard = ({ row, scene }: { row: Row; scene: Scene }, name: string) =>
    (devices.find((device) => device.name === name)?.events ?? [])
      .filter(({ event, payload }) => event === row.event && concerns(payload, scene, row))
      .map(({ payload }) => payload)

  test('after NATS was killed during each operation and came back', async () => {
    const scenes = await newScenes(durable)
    await platform.servers.nats.kill()
    const wanted = new Map<Row, unknown>()
    for (const { row, scene } of scenes) wanted.set(row, await row.act(scene))
    await platform.servers.nats.restart()
    for (const one of scenes) {
      const { row } = one
      for (const name of row.reaches) {
        await eventually(`${row.event} by ${row.operation} at ${name}`, () =>
          heard(one, name).some((payload) => isDeepStrictEqual(payload, wanted.get(row))),
        )
      }
      const others = names.filter((name) => !row.reaches.includes(name))
      assert.deepEqual(
        others.flatMap((name) => heard(one, name)),
        [],
        `${row.event} by ${row.operation}: nobody else`,
      )
    }
  })

  test('including a webhook and a push to clients, after NATS was away during membership changes', async () => {
    const path = `/${randomUUID()}`
    const fields = { roomType: 'group', members: ['alice', 'bob'], owner: 'alice', webhook: hook.url + path }
    const room = String((await admin('POST', '/rooms/', fields))['_id'])
    await platform.servers.nats.kill()
    await admin('PUT', `/rooms/${room}`, { opening: 1 })
    await admin('POST', `/rooms/${room}/members`, { invitees: ['robot'] })
    await admin('POST', `/rooms/${room}/delete/members`, { members: ['robot'] })
    await as('stranger', 'POST', `/rooms/${room}/join`)
    await admin('POST', '/push/push2clients', { clients: ['bob'], payload: { title: 'while away', body: 'x' } })
    await platform.servers.nats.restart()
    const calls = () =>
      hook.calls.filter((one) => one.path === path && 'members' in one.body.data && !('_id' in one.body.data))
    await eventually('the webhook receives it', () => calls().length >= 3)
    assert.deepEqual(
      calls().map(({ body }) => [body.event, body.data.members]),
      [
        ['ADD_MEMBERS', ['robot']],
        ['DELETE_MEMBERS', ['robot']],
        ['JOIN_ROOM', ['stranger']],
      ],
    )
    await eventually('the push', () => platform.fcm.pushes.some(({ token }) => token === 'away'))
  })

  test('after the gateway was killed (-9) between commit and publishing of each operation', async () => {
    const byRest = durable.filter(({ operation }) => !operation.startsWith('the emit'))
    const scenes = await newScenes(byRest)
    const { hostname: host, port } = new URL(platform.servers.natsUrl)
    const proxy = await startStallingProxy({ host, port: Number(port) })
    const doomed = await platform.start('api-gateway', { PARLEY_NATS_URL: `nats://127.0.0.1:${proxy.port}` })
    gateway = doomed
    // From here on this gateway cannot publish. The other one publishes the notes once they are old enough.
    proxy.stall()
    // Count insertions, since the other gateway publishes and deletes old notes.
    const { operationTime } = await platform.db.mongo.command({ ping: 1 })
    const isOrdered = { operationType: 'insert', 'fullDocument.orderingKey': { $exists: true } }
    const inserts = platform.db.outbox.watch([{ $match: isOrdered }], { startAtOperationTime: operationTime })
    let notes = 0
    inserts.on('change', () => notes++)
    // Most requests never get a response, since their gateway is killed while publishing.
    const acts = scenes.map(({ row, scene }) => row.act(scene))
    const acted = Promise.allSettled(acts)
    const changes = scenes.filter(({ row }) => row.event !== 'chat message')
    // Its note is written when it fires. The count below can be reached earlier, since some changes write several notes.
    await acts[byRest.findIndex(({ event }) => event === 'reminder')]
    await eventually('everything is committed', async () => {
      const messages = await findAllMessages(platform.db, {
        room: { $in: scenes.map(({ scene }) => scene.room) },
        threadOf: { $exists: false },
      })
      return notes >= changes.length && messages.length >= scenes.length + (scenes.length - changes.length)
    })
    await inserts.close()
    await doomed.kill()
    gateway = platform.gateway
    await acted
    await proxy.stop()
    for (const one of scenes) {
      for (const name of one.row.reaches) {
        await eventually(`${one.row.event} by ${one.row.operation} at ${name}`, () => heard(one, name).length > 0)
      }
      const others = names.filter((name) => !one.row.reaches.includes(name))
      assert.deepEqual(
        others.flatMap((name) => heard(one, name)),
        [],
        `${one.row.event}: nobody else`,
      )
    }
  })
})
