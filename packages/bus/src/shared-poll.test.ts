import assert from 'node:assert/strict'
import { pollSubject } from '@parley/contracts/bus/subjects'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterAll, afterEach, beforeAll, beforeEach, describe, test, vi } from 'vitest'
import { type Bus, connectBus } from './connect.ts'
import { sharedPoll } from './shared-poll.ts'

const name = 'test'
/** Longer than the interval between looks. */
const turnMS = 1_100
const anything = { safeParse: (data: unknown) => ({ success: true as const, data: data as string }) }

describe('a look shared by processes', () => {
  let servers: Servers
  let bus: Bus
  let other: Bus
  let polls: number
  let enough: string[]
  let stopping: AbortController
  let polling: Promise<void>
  beforeAll(async () => {
    servers = await isolatedServers(['nats'])
    bus = await connectBus(servers.natsUrl, 'looks')
    other = await connectBus(servers.natsUrl, 'other')
  })
  afterAll(async () => {
    await Promise.all([bus.close(), other.close()])
    await servers.stop()
  })
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    polls = 0
    enough = []
    stopping = new AbortController()
    const poll = async () => `look ${++polls}`
    const isEnough = (said: string) => {
      enough.push(said)
      return said === 'enough'
    }
    polling = sharedPoll(
      bus,
      { name, schema: anything, poll, isEnough },
      { onError: assert.fail, signal: stopping.signal },
    )
    await bus.nats.flush()
  })
  afterEach(async () => {
    stopping.abort()
    await polling
    vi.useRealTimers()
  })

  /** Settles when this process has heard it. */
  async function hear(said: string): Promise<void> {
    const before = enough.length
    other.nats.publish(pollSubject(name, 'other'), JSON.stringify(said))
    await other.nats.flush()
    while (enough.length === before) await bus.nats.flush()
  }

  test('runs at once, and every turn while no other process looks', async () => {
    for (const count of [1, 2, 3]) {
      assert.equal(polls, count)
      await vi.advanceTimersByTimeAsync(turnMS)
    }
    await bus.nats.flush()
    assert.deepEqual(enough, [], 'its own looks do not count')
  })

  test('is skipped while another process looks, until that process falls silent', async () => {
    for (let i = 0; i < 10; i++) {
      await hear('enough')
      await vi.advanceTimersByTimeAsync(700)
    }
    assert.equal(polls, 1)
    await vi.advanceTimersByTimeAsync(turnMS - 700)
    assert.equal(polls, 2)
    await hear('less')
    await vi.advanceTimersByTimeAsync(900)
    assert.equal(polls, 3)
  })

  test('still runs now and then, however often others look', async () => {
    for (let i = 0; i < 50; i++) {
      await hear('enough')
      await vi.advanceTimersByTimeAsync(700)
    }
    assert.equal(polls, 2)
  })
})
