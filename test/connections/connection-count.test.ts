import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'

describe('connection-count counts authenticated WebSockets', () => {
  let platform: Platform
  let nodes: [RunningService, RunningService]
  let alice: PlatformUser

  beforeAll(async () => {
    platform = await startPlatform()
    await platform.start('api-gateway')
    nodes = [await platform.start('realtime'), await platform.start('realtime')]
    await platform.start('stats')
    alice = await platform.newUser('alice')
  })
  afterAll(() => platform.stop())

  const count = async () => (await platform.admin('GET', '/admin/connection-count'))['count']
  const nobodyIsLeft = () => eventually('nobody is left', async () => (await count()) === 0)

  test('a WebSocket counts from its authentication until its close', async () => {
    proves('GET /admin/connection-count', 'result.count')
    const silent = io(nodes[0].url, { transports: ['websocket'], forceNew: true })
    await new Promise<void>((resolve) => silent.once('connect', resolve))
    const socket = await platform.connect(nodes[0], alice)
    assert.equal(await count(), 1)
    silent.close()
    socket.close()
    await nobodyIsLeft()
  })

  test('a polling session counts only once it is upgraded', async () => {
    const polling = await platform.connect(nodes[0], alice, { transports: ['polling'] })
    assert.equal(await count(), 0)
    const both = await platform.connect(nodes[0], alice, { transports: ['polling', 'websocket'] })
    await eventually('the upgrade', async () => (await count()) === 1)
    both.close()
    await nobodyIsLeft()
    polling.close()
  })

  test('a session counts even if its WebSocket is on another node than its owner', async () => {
    const session = (node: RunningService, transport: string, sid = '') =>
      `${node.url}/socket.io/?EIO=4&transport=${transport}${sid && `&sid=${sid}`}`
    const opened = await (await fetch(session(nodes[0], 'polling'))).text()
    const { sid } = JSON.parse(opened.slice(1)) as { sid: string }
    const own = session(nodes[0], 'polling', sid)
    await fetch(own, { method: 'POST', body: '40' })
    await fetch(own, { method: 'POST', body: `420${JSON.stringify(['auth2', alice.token, {}])}` })
    let polled = ''
    await eventually('the acknowledgement', async () => {
      polled += await (await fetch(own)).text()
      return polled.includes('430')
    })
    assert.equal(await count(), 0)

    const bridged = new WebSocket(session(nodes[1], 'websocket', sid).replace('http', 'ws'))
    const heard = (event: 'open' | 'message') =>
      new Promise((resolve, reject) => {
        bridged.addEventListener(event, resolve, { once: true })
        bridged.addEventListener('close', ({ code, reason }) => reject(new Error(`no ${event}: ${code} ${reason}`)), {
          once: true,
        })
      })
    await heard('open')
    const probed = heard('message')
    bridged.send('2probe')
    await probed
    assert.equal(await count(), 0)
    bridged.send('5')
    await eventually('the upgrade', async () => (await count()) === 1)
    bridged.close()
    await nobodyIsLeft()
  })

  test("a killed node's report is dropped when another process takes its name", async () => {
    const named = { PARLEY_NODE_ID: 'named' }
    const first = await platform.start('realtime', named)
    const socket = await platform.connect(first, alice)
    assert.equal(await count(), 1)
    await first.kill()
    const second = await platform.start('realtime', named)
    assert.equal(await count(), 0)
    socket.close()
    await second.stop()
  })

  test('the peak counts WebSockets', async () => {
    const polling = await platform.connect(nodes[0], alice, { transports: ['polling'] })
    const socket = await platform.connect(nodes[1], alice)
    const peak = async () => (await platform.admin('GET', '/admin/stats'))['peakConnectionCount']
    await eventually('a peak', async () => Number(await peak()) > 0)
    assert.equal(await peak(), 1)
    polling.close()
    socket.close()
  })
})
