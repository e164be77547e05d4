import assert from 'node:assert/strict'
import { after, afterEach, before, suite, test } from 'node:test'
import type { Socket } from 'socket.io-client'
import { call, connectClient, eventually, type Platform, type RunningService, startPlatform } from './platform.ts'

suite('statistics are true', { timeout: 180_000 }, () => {
  let platform: Platform
  let gateway: RunningService
  let nodes: RunningService[]
  let stats: RunningService[]
  const tokens = new Map<string, string>()
  const admin = async (method: string, path: string, body?: unknown) => {
    const answer = await call(gateway.url, method, path, { 'im-api-key': platform.apiKey }, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.result
  }

  before(async () => {
    platform = await startPlatform()
    gateway = await platform.start('api-gateway')
    nodes = await Promise.all([platform.start('realtime'), platform.start('realtime')])
    stats = await Promise.all([platform.start('stats'), platform.start('stats')])
    for (const _id of ['alice', 'bob', 'carl']) {
      tokens.set(_id, String((await admin('POST', '/admin/clients', { _id, issueAccessToken: true }))['token']))
    }
  })
  const open = new Set<Socket>()
  afterEach(() => {
    for (const socket of open) socket.close()
    open.clear()
  })
  after(() => platform.stop())
  const connect = async (user: string, node: number) => {
    const socket = await connectClient(nodes[node]?.url ?? '', tokens.get(user) ?? '')
    open.add(socket)
    return socket
  }
  const connections = async () => (await admin('GET', '/admin/connection-count'))['count']
  const peak = async () => (await admin('GET', '/admin/stats'))['peakConnectionCount']

  test('each message counts once, while instances are killed (-9) and started in the middle', async () => {
    const rooms: string[] = []
    for (let i = 0; i < 4; i++) {
      rooms.push(String((await admin('POST', '/rooms/', { roomType: 'group', members: ['alice', 'bob'] }))['_id']))
    }
    let sent = 0
    const flood = { on: true }
    const senders = [0, 1, 2, 3].map(async (i) => {
      while (flood.on) {
        await admin('POST', '/messages', { room: rooms[i], sender: 'alice', message: 'x', messageType: 'text' })
        sent++
      }
    })
    for (let kills = 0; kills < 4; kills++) {
      const before_ = sent
      await eventually('messages flow', () => sent > before_ + 150)
      await stats.shift()?.kill()
      stats.push(await platform.start('stats'))
    }
    flood.on = false
    await Promise.all(senders)
    await eventually('all are counted', async () => (await admin('GET', '/admin/stats'))['messageCount'] === sent, 40)
    const report = await admin('GET', '/admin/stats')
    assert.deepEqual([report['roomCount'], report['totalRoomCount'], report['userList']], [4, 4, ['alice']])
  })

  test('the peak is a true one: a burst shorter than any interval counts, over all nodes', async () => {
    const sockets = await Promise.all([connect('alice', 0), connect('bob', 0), connect('bob', 1), connect('carl', 1)])
    await eventually('the current count', async () => (await connections()) === 4)
    for (const socket of sockets.slice(1)) socket.close()
    await eventually('the current count', async () => (await connections()) === 1)
    const burst = await Promise.all(Array.from({ length: 30 }, (_, i) => connect('carl', i % 2)))
    for (const socket of burst) socket.close()
    await eventually('the current count', async () => (await connections()) === 1)
    let highest: unknown
    await eventually('the peak', async () => Number((highest = await peak())) >= 31, 5).catch((error) => {
      throw new Error(`the peak is ${String(highest)}`, { cause: error })
    })
  })

  test('who is connected is in userList without sending', async () => {
    await connect('carl', 0)
    await eventually('carl', async () =>
      ((await admin('GET', '/admin/stats'))['userList'] as string[]).includes('carl'),
    )
  })

  test('the connections of a node killed -9 vanish from the count within 15 s', async () => {
    await Promise.all([connect('alice', 0), connect('bob', 1), connect('carl', 1)])
    await eventually('the current count', async () => (await connections()) === 3)
    await nodes[1]?.kill()
    await eventually('the count without them', async () => (await connections()) === 1, 15)
  })
})
