import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { testServers } from '@parley/stack/test-servers'
import { afterAll, afterEach, beforeAll, describe, test, vi } from 'vitest'
import { type Bus, connectBus } from '../connect.ts'
import { followNodes, type LiveNodes } from './live-nodes.ts'

describe('a node that has announced itself', () => {
  const longMS = 10_000
  let bus: Bus
  let live: LiveNodes
  beforeAll(async () => {
    bus = await connectBus((await testServers()).natsUrl, 'follower')
  })
  afterEach(() => {
    vi.useRealTimers()
    live.stop()
  })
  afterAll(() => bus.close())

  async function announced(
    toFake: ('performance' | 'setInterval' | 'Date')[] = ['performance', 'setInterval'],
  ): Promise<void> {
    const subject = `announcements.${randomUUID()}`
    vi.useFakeTimers({ toFake })
    live = followNodes(bus, subject)
    bus.nats.publish(subject, JSON.stringify({ node: 'n1' }))
    await bus.nats.flush()
    assert.deepEqual(live.names(), ['n1'])
  }

  test('is dropped after a long silence', async () => {
    await announced()
    vi.advanceTimersByTime(longMS)
    assert.deepEqual(live.names(), [])
  })

  test('is tracked by a monotonic clock, whatever the system clock says', async () => {
    await announced(['performance', 'setInterval', 'Date'])
    vi.setSystemTime(Date.now() + longMS)
    assert.deepEqual(live.names(), ['n1'])
    vi.setSystemTime(0)
    vi.advanceTimersByTime(longMS)
    assert.deepEqual(live.names(), [])
  })

  test('stays after this process stalled, with announcements perhaps unread', async () => {
    await announced(['performance', 'Date'])
    vi.advanceTimersByTime(longMS)
    assert.deepEqual(live.names(), ['n1'])
  })

  test('stays after this process lost the bus for a long time', async () => {
    await announced()
    const isBack = new Promise<void>((resolve) => {
      const stop = bus.onBack(() => {
        stop()
        resolve()
      })
    })
    await bus.nats.reconnect()
    await vi.waitUntil(() => !bus.connected, { timeout: 100_000, interval: 1 })
    vi.advanceTimersByTime(longMS)
    assert.deepEqual(live.names(), ['n1'], 'while it is away')
    await isBack
    assert.deepEqual(live.names(), ['n1'], 'when it is back')
    vi.advanceTimersByTime(longMS)
    assert.deepEqual(live.names(), [], 'when it could have announced itself since')
  })
})
