import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import type { Msg } from '@nats-io/nats-core'
import { connectBus } from '@parley/bus/connect'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'
import { metricsOf } from '../service-metrics.ts'

const random = 'abcdefghij-_ABCDEFGH'

describe('a session of another node, or of no node', () => {
  let platform: Platform
  let owner: RunningService
  let other: RunningService

  beforeAll(async () => {
    platform = await startPlatform({ toKill: ['nats'] })
    owner = await platform.start('realtime')
    other = await platform.start('realtime')
  })
  afterAll(() => platform.stop())

  const url = (node: RunningService, transport: string, sid = '') =>
    `${node.url}/socket.io/?EIO=4&transport=${transport}${sid && `&sid=${sid}`}`
  async function open(node: RunningService): Promise<string> {
    const text = await (await fetch(url(node, 'polling'))).text()
    return (JSON.parse(text.slice(1)) as { sid: string }).sid
  }
  const post = async (node: RunningService, sid: string) =>
    (await fetch(url(node, 'polling', sid), { method: 'POST', body: '3' })).status
  const poll = async (node: RunningService, sid: string) => (await fetch(url(node, 'polling', sid))).status
  function upgrade(node: RunningService, sid: string): Promise<number> {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
    }
    const asking = request(url(node, 'websocket', sid), { headers })
    return new Promise((resolve, reject) => {
      asking.on('upgrade', (response, socket) => {
        socket.destroy()
        resolve(response.statusCode ?? 0)
      })
      asking.on('response', (response) => resolve(response.resume().statusCode ?? 0))
      asking.on('error', reject)
      asking.end()
    })
  }
  const timesAway = (node: RunningService) => readFileSync(node.logFile, 'utf8').split('NATS is away').length - 1

  test('a forged session ID reaches no subject by poll, post or upgrade, and the bus connection stays', async () => {
    const bus = await connectBus(platform.servers.natsUrl, 'test')
    const asked: string[] = []
    bus.nats.subscribe('parley.node.>', {
      callback: (_error, message) => {
        asked.push(message.subject)
        // With a subscriber on the subject, the node would wait for a response.
        if (message.subject.includes('ghost')) message.respond()
      },
    })
    await bus.nats.flush()
    // A node asks about every name until it knows all other nodes.
    await eventually('all nodes are known', async () => {
      asked.length = 0
      await poll(other, `ghost.${random}`)
      return asked.length === 0
    })
    const ids = [
      `${'.'.repeat(1400)}x`,
      `${'.'.repeat(1400)}${random}`,
      `${'n'.repeat(1400)}.${random}`,
      `${'%2A'.repeat(400)}.${random}`,
      `*.${random}`,
      `%3E.${random}`,
      `ghost.${random}`,
      'ghost.x',
      `%0D%0APUB x.${random}`,
    ]
    const session = await open(owner)
    for (const sid of ids) {
      assert.deepEqual(
        [await poll(other, sid), await post(other, sid), await upgrade(other, sid)],
        [400, 400, 400],
        sid,
      )
    }
    assert.equal(await post(other, session), 200)
    await bus.nats.flush()
    assert.deepEqual(asked, [`parley.node.${session.split('.')[0]}.poll`])
    assert.equal(timesAway(other), 0)
    await bus.close()
  })

  test('a WebSocket for a session that its node does not have is closed', async () => {
    const session = await open(owner)
    assert.equal(await upgrade(other, session), 101)
    const unknown = openSocket(other, `${session.split('.')[0]}.${random}`)
    assert.equal(await unknown.closed, '1000 session out of reach')
  })

  test('a newly started node serves sessions of other nodes', async () => {
    const session = await open(owner)
    const newcomer = await platform.start('realtime')
    assert.equal(await post(newcomer, session), 200)
    await newcomer.stop()
  })

  /** Opens a WebSocket for a session; `closed` resolves with the reason of its close. */
  function openSocket(node: RunningService, sid: string): { socket: WebSocket; closed: Promise<string> } {
    const socket = new WebSocket(url(node, 'websocket', sid).replace(/^http/, 'ws'))
    const closed = new Promise<string>((resolve) => {
      socket.addEventListener('close', ({ code, reason }) => resolve(`${code} ${reason}`))
    })
    return { socket, closed }
  }

  /** Moves a new session of `owner` to a WebSocket on another node. */
  async function bridge(node: RunningService): Promise<{ closed: Promise<string> }> {
    const { socket, closed } = openSocket(node, await open(owner))
    const probed = new Promise<string>((resolve) => {
      socket.addEventListener('message', ({ data }) => resolve(String(data)), { once: true })
    })
    socket.addEventListener('open', () => socket.send('2probe'))
    assert.equal(await Promise.race([probed, closed]), '3probe')
    socket.send('5')
    return { closed }
  }

  test('a stopping node closes its WebSockets for sessions of other nodes, with the reason', async () => {
    const stopping = await platform.start('realtime')
    const bridges = await Promise.all(Array.from({ length: 20 }, () => bridge(stopping)))
    await stopping.stop()
    const reasons = await Promise.all(bridges.map(({ closed }) => closed))
    assert.deepEqual(new Set(reasons), new Set(['1000 node is stopping']))
  })

  test('a poll waiting at a stopping node ends no session: its retry gets the queued packets', async () => {
    const stopping = await platform.start('realtime')
    const session = await open(owner)
    const bus = await connectBus(platform.servers.natsUrl, 'foreign sessions test')
    const forwarded = new Promise<void>((resolve) => {
      bus.nats.subscribe('parley.node.*.poll', { callback: () => resolve() })
    })
    await bus.nats.flush()
    const waiting = fetch(`${url(stopping, 'polling', session)}&t=same`).catch(() => undefined)
    await forwarded
    await stopping.stop()
    assert.notEqual((await waiting)?.status, 200)
    const again = fetch(`${url(other, 'polling', session)}&t=same`)
    const connect = await fetch(url(owner, 'polling', session), { method: 'POST', body: '40' })
    assert.equal(connect.status, 200)
    assert.match(await (await again).text(), /^40/)
    await bus.close()
  })

  test('is unreachable while NATS is away, also for waiting polls, and is served afterwards', async () => {
    const session = await open(owner)
    const waiting = poll(other, session)
    await platform.servers.nats.kill()
    await eventually('both nodes notice', () => timesAway(owner) > 0 && timesAway(other) > 0)
    assert.equal(await post(other, session), 400)
    await platform.servers.nats.restart()
    assert.equal(await waiting, 400)
    await eventually('the session is reachable again', async () => (await post(other, session)) === 200)
  })

  test('a session whose WebSocket another node closed while NATS was away ends as soon as NATS is back', async () => {
    const closed = async ({ ports }: RunningService, reason: string): Promise<number> => {
      const text = await metricsOf({ ports })
      const of = new RegExp(`^parley_connections_closed_total\\{[^}]*reason="${reason}"[^}]*\\} (\\d+)`, 'm')
      return Number(of.exec(text)?.[1] ?? 0)
    }
    const before = [await closed(owner, 'transport error'), await closed(other, 'session out of reach')]
    const bus = await connectBus(platform.servers.natsUrl, 'foreign sessions test')
    const taken = new Promise<void>((resolve) => {
      const isTake = ({ headers }: Msg) => headers?.get('Parley-Poll').includes('TAKE') === true
      bus.nats.subscribe('parley.node.*.poll', {
        callback: (_error, asked) => {
          if (isTake(asked)) resolve()
        },
      })
    })
    await bus.nats.flush()
    const bridged = await bridge(other)
    await taken
    // The owner handles requests in order, so it has also handled the previous one.
    assert.equal(await post(other, await open(owner)), 200)
    await bus.close()
    await platform.servers.nats.kill()
    await eventually('both nodes notice', () => timesAway(owner) > 1 && timesAway(other) > 1)
    await platform.servers.nats.restart()
    assert.equal(await bridged.closed, '1000 session out of reach')
    await eventually('its session has ended', async () => (await closed(owner, 'transport error')) > (before[0] ?? 0))
    assert.equal(await closed(other, 'session out of reach'), (before[1] ?? 0) + 1)
  })

  test('a session of a killed node becomes unknown', async () => {
    const session = await open(owner)
    assert.equal(await post(other, session), 200)
    await owner.kill()
    await eventually('it is unknown', async () => (await upgrade(other, session)) === 400)
    assert.deepEqual([await poll(other, session), await post(other, session)], [400, 400])
  })
})
