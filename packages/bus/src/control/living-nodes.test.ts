import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { testServers } from '@parley/stack/test-servers'
import { afterAll, afterEach, beforeAll, describe, test, vi } from 'vitest'
import { type Bus, closeBus, connectBus } from '../connect.ts'
import { followNodes, type LivingNodes } from './living-nodes.ts'

describe('a node that has announced itself', () => {
  const longMS = 10_000
  let bus: Bus
  let living: LivingNodes
  beforeAll(async () => {
    bus = await connectBus((await testServers()).natsUrl, 'follower')
  })
  afterEach(() => {
    vi.useRealTimers()
    living.stop()
  })
  afterAll(() => closeBus(bus))

  async function announced(): Promise<void> {
    const subject = `announcements.${randomUUID()}`
    living = followNodes(bus, subject)
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    bus.nats.publish(subject, JSON.stringify({ node: 'n1' }))
    await bus.nats.flush()
    assert.deepEqual(living.names(), ['n1'])
  }

  test('is gone when it has not for long', async () => {
    await announced()
    vi.advanceTimersByTime(longMS)
    assert.deepEqual(living.names(), [])
  })

  test('is not gone because the clock of the machine was set', async () => {
    await announced()
    vi.setSystemTime(Date.now() + longMS)
    assert.deepEqual(living.names(), ['n1'])
  })

  test('is not gone because this process was away from the bus for long', async () => {
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
    assert.deepEqual(living.names(), ['n1'], 'while it is away')
    await isBack
    assert.deepEqual(living.names(), ['n1'], 'when it is back')
    vi.advanceTimersByTime(longMS)
    assert.deepEqual(living.names(), [], 'when it could have announced itself since')
  })
})
