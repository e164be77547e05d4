import assert from 'node:assert/strict'
import { type Bus, connectBus } from '@parley/bus/connect'
import { publishEvent } from '@parley/bus/events/publish'
import { marginMS } from '@parley/bus/stream/stream-state'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { openPolling } from '../connections/slow-client.ts'
import { eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'
import { metricsOf } from '../service-metrics.ts'
import { connectResuming, type ResumingClient } from './resuming-client.ts'

describe('events republished while a client catches up', () => {
  let platform: Platform
  let node: RunningService
  let bus: Bus
  let bob: PlatformUser
  /** Connected to the same node without `since`. The node has handled every event that this client received. */
  let live: ResumingClient

  beforeAll(async () => {
    platform = await startPlatform({ toKill: ['nats'] })
    await platform.start('api-gateway')
    // A client gets 32 KiB at once, and the node may buffer as much again.
    node = await platform.start('realtime', { PARLEY_REALTIME_MAX_BUFFERED_BYTES: '131072' })
    bus = await connectBus(platform.servers.natsUrl, 'since test')
  })
  beforeEach(async () => {
    bob = await platform.newUser()
  })
  afterAll(async () => {
    live.socket.close()
    await bus.close()
    await platform.stop()
  })

  const all = ({ heard }: Pick<ResumingClient, 'heard'>, event: string, field: string) =>
    heard.filter((one) => one.event === event).map(({ payload }) => (payload as Record<string, string>)[field] ?? '')
  const texts = (client: Pick<ResumingClient, 'heard'>) => all(client, 'chat message', 'message').map((text) => text[0])
  async function pass(room: string, message: string): Promise<void> {
    await platform.admin('POST', '/messages', { room, sender: bob.id, message, messageType: 'text' })
    await eventually('it has passed', () => all(live, 'chat message', 'message').includes(message))
  }
  async function connectLive(): Promise<ResumingClient> {
    const client = await connectResuming(node.url, bob.token)
    await client.login()
    return client
  }
  async function delivered(): Promise<number> {
    const text = await metricsOf(node)
    return Number(/^parley_events_delivered_total\{[^}]*event="chat message"[^}]*\} (\d+)/m.exec(text)?.[1] ?? 0)
  }
  /** Starts to catch up from a time without reading, so that it stops before the last large message. */
  async function comeSlowly(since: number) {
    const before = await delivered()
    const client = await openPolling(node.url, 'base64')
    await client.say(`420${JSON.stringify(['auth2', bob.token, { deviceId: 'phone', since }])}`)
    await eventually('the buffers are full', async () => (await delivered()) >= before + names.length - 1)
    return client
  }
  async function takeAll(client: Awaited<ReturnType<typeof openPolling>>): Promise<void> {
    await eventually('it has caught up', async () => {
      await client.take()
      return client.acknowledged.length > 0
    })
    assert.partialDeepStrictEqual(client.acknowledged, [{ RC: 0, result: { resumed: true } }])
  }
  /** Seven of them exceed 32 KiB in base64; eight without it stay below. */
  const large = (name: string) => name + 'x'.repeat(3_200)
  const names = ['1', '2', '3', '4', '5', '6', '7', '8']
  const now = async () => (await live.login({ since: 0 })).result.serverTimeMS

  test('do not overtake older ones', async () => {
    const room = await platform.newRoom([bob.id])
    live = await connectLive()
    const since = await now()
    const event = {
      to: { app: platform.app, room },
      event: 'chat message',
      json: '{"_id":"again","message":"again"}',
      id: 'again',
    } as const
    await publishEvent(bus, event)
    await eventually('it is heard', () => texts(live).includes('a'))
    for (const name of names) await pass(room, large(name))
    const client = await comeSlowly(since)
    const late = await connectLive()
    await publishEvent(bus, event)
    await eventually('the late client has it', () => texts(late).includes('a'))
    await takeAll(client)
    assert.deepEqual(texts(client), ['a', ...names])
    for (const socket of [live.socket, late.socket] as Socket[]) socket.close()
  })

  test("leave no older state behind in the node's replay after NATS was away", async () => {
    const room = await platform.newRoom([bob.id])
    const path = `/rooms/${room}`
    live = await connectLive()
    await platform.admin('PUT', path, { name: 'before' })
    await eventually('it is heard', () => all(live, 'room', 'name').includes('before'))
    // The client catches up from here; the node replays from before.
    const since = (await now()) + marginMS
    for (const name of names) await pass(room, large(name))
    const client = await comeSlowly(since)
    await platform.servers.nats.kill()
    await platform.admin('PUT', path, { name: 'meanwhile' })
    await platform.servers.nats.restart()
    await eventually('the node has replayed it', () => all(live, 'room', 'name').includes('meanwhile'))
    await takeAll(client)
    await eventually('it hears of the last change', async () => {
      await platform.admin('PUT', path, { name: 'last' })
      await client.take()
      return all(client, 'room', 'name').includes('last')
    })
    assert.deepEqual([...new Set(all(client, 'room', 'name'))], ['meanwhile', 'last'])
    assert.deepEqual([...new Set(texts(client))], names)
  })
})
