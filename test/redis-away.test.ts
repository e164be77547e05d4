import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Socket } from 'socket.io-client'
import { call, connectClient, eventually, type Platform, type RunningService, startPlatform } from './platform.ts'

suite('Redis killed and restarted', { timeout: 90_000 }, () => {
  let platform: Platform
  let gateway: RunningService
  let nodes: RunningService[]
  const sockets: Socket[] = []

  before(async () => {
    platform = await startPlatform()
    gateway = await platform.start('api-gateway')
    nodes = await Promise.all([platform.start('realtime'), platform.start('realtime')])
  })
  after(async () => {
    for (const socket of sockets) socket.close()
    await platform.stop()
  })

  const admin = (method: string, path: string, body?: unknown) =>
    call(gateway.url, method, path, { 'im-api-key': platform.apiKey }, body)
  const count = async () => (await admin('GET', '/admin/connection-count')).body.result?.['count']
  const connect = async (user: string, node: number) => {
    const made = await admin('POST', '/admin/clients', { _id: user, issueAccessToken: true })
    const socket = await connectClient(nodes[node]?.url ?? '', String(made.body.result['token']))
    sockets.push(socket)
    return socket
  }

  test('connections come and go and messages flow meanwhile; the counts are right again after', async () => {
    const users = ['alice', 'bob', 'carol', 'dave']
    const [alice, bob] = [await connect('alice', 0), await connect('bob', 1)]
    await connect('carol', 1)
    await eventually('three are counted', async () => (await count()) === 3)
    await admin('POST', '/admin/clients', { _id: 'dave', issueAccessToken: true })
    await admin('POST', '/rooms/', { _id: 'room', roomType: 'group', members: users })

    await platform.servers.redis.kill()
    const dave = await connect('dave', 0)
    bob.close()
    const heard = Promise.all(
      [alice, dave].map((socket) => new Promise((resolve) => socket.once('chat message', resolve))),
    )
    const sent = await admin('POST', '/messages', { room: 'room', sender: 'carol', message: 'x', messageType: 'text' })
    assert.equal(sent.status, 200)
    await heard
    await platform.servers.redis.restart()

    await eventually('alice, carol and dave are counted', async () => (await count()) === 3)
    const peak = async () => (await admin('GET', '/admin/stats')).body.result?.['peakConnectionCount']
    await eventually('the peak knows them too', async () => Number(await peak()) >= 3)
    dave.close()
    await eventually('and who leaves now', async () => (await count()) === 2)
  })
})
