import assert from 'node:assert/strict'
import { connectDb } from '@parley/db/connect'
import type { Socket } from 'socket.io-client'
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'

describe('statistics are exact', () => {
  let platform: Platform
  let nodes: RunningService[]
  let stats: RunningService[]
  const users = new Map<string, PlatformUser>()

  beforeAll(async () => {
    platform = await startPlatform()
    await platform.start('api-gateway')
    nodes = await Promise.all([platform.start('realtime'), platform.start('realtime')])
    stats = await Promise.all([platform.start('stats'), platform.start('stats')])
    for (const id of ['alice', 'bob', 'carl']) {
      users.set(id, await platform.newUser(id))
    }
  })
  const open = new Set<Socket>()
  afterEach(() => {
    for (const socket of open) socket.close()
    open.clear()
  })
  afterAll(() => platform.stop())
  const connect = async (id: string, node: number) => {
    const user = users.get(id)
    assert.ok(user)
    const socket = await platform.connect(nodes[node] as RunningService, user)
    open.add(socket)
    return socket
  }
  const connections = async () => (await platform.admin('GET', '/admin/connection-count'))['count']
  const peak = async () => (await platform.admin('GET', '/admin/stats'))['peakConnectionCount']

  test('each message is counted once while instances are killed (-9) and started', async () => {
    const rooms: string[] = []
    for (let i = 0; i < 4; i++) {
      rooms.push(await platform.newRoom(['alice', 'bob']))
    }
    let sent = 0
    const flood = { on: true }
    const senders = [0, 1, 2, 3].map(async (i) => {
      while (flood.on) {
        await platform.admin('POST', '/messages', {
          room: rooms[i],
          sender: 'alice',
          message: 'x',
          messageType: 'text',
        })
        sent++
      }
    })
    for (let kills = 0; kills < 4; kills++) {
      const before = sent
      await eventually('messages flow', () => sent > before + 150)
      await stats.shift()?.kill()
      stats.push(await platform.start('stats'))
    }
    flood.on = false
    await Promise.all(senders)
    await eventually(
      'all are counted',
      async () => (await platform.admin('GET', '/admin/stats'))['messageCount'] === sent,
    )
    const report = await platform.admin('GET', '/admin/stats')
    assert.deepEqual([report['roomCount'], report['totalRoomCount'], report['userList']], [4, 4, ['alice']])
  })

  test('the peak includes a burst shorter than any interval, across all nodes', async () => {
    const sockets = await Promise.all([connect('alice', 0), connect('bob', 0), connect('bob', 1), connect('carl', 1)])
    await eventually('the current count', async () => (await connections()) === 4)
    for (const socket of sockets.slice(1)) socket.close()
    await eventually('the current count', async () => (await connections()) === 1)
    const burst = await Promise.all(Array.from({ length: 30 }, (_, i) => connect('carl', i % 2)))
    for (const socket of burst) socket.close()
    await eventually('the current count', async () => (await connections()) === 1)
    let highest: unknown
    await eventually('the peak', async () => Number((highest = await peak())) >= 31).catch((error) => {
      throw new Error(`the peak is ${String(highest)}`, { cause: error })
    })
  })

  test('a connected user is in userList even without sending', async () => {
    await connect('carl', 0)
    await eventually('carl', async () =>
      ((await platform.admin('GET', '/admin/stats'))['userList'] as string[]).includes('carl'),
    )
  })

  test('the connections of a node killed by kill -9 are dropped from the count', async () => {
    await Promise.all([connect('alice', 0), connect('bob', 1), connect('carl', 1)])
    await eventually('the current count', async () => (await connections()) === 3)
    await nodes[1]?.kill()
    await eventually('the count without them', async () => (await connections()) === 1)
  })

  test('messages are indexed before any search, also after an instance was killed (-9)', async () => {
    const room = await platform.newRoom(['alice', 'bob'])
    const db = await connectDb(platform.servers.mongoUrl)
    try {
      const send = async (message: string) => {
        return (await platform.admin('POST', '/messages', { room, sender: 'alice', message, messageType: 'text' }))[
          '_id'
        ]
      }
      const isIndexed = async (id: unknown) => (await db.searchTexts.findOne({ _id: String(id) }))?.words
      const first = await send('Crème brûlée')
      await eventually('its words are there', async () => {
        const words = await isIndexed(first)
        return words?.includes('creme') && words.includes('brulee')
      })
      const killed = await send('waiting')
      for (const one of stats) await one.kill()
      stats = [await platform.start('stats'), await platform.start('stats')]
      const later = await send('later')
      await eventually('both are there', async () => (await isIndexed(killed)) && (await isIndexed(later)))
    } finally {
      await db.client.close()
    }
  })
})
