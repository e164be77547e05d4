import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { cachingSubject, nodesSubject } from '@parley/contracts/bus/subjects'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterAll, beforeAll, beforeEach, describe, onTestFinished, test, vi } from 'vitest'
import { type Bus, connectBus } from '../connect.ts'
import { holdCacheLease } from './cache-lease.ts'
import { handleCommands } from './handle-commands.ts'
import { announceToNew, numberAnnouncements, watchForGaps } from './numbered-announcements.ts'

describe('numbered announcements', () => {
  let servers: Servers
  let bus: Bus
  let gaps: number[]
  beforeAll(async () => {
    servers = await isolatedServers(['nats'])
    bus = await connectBus(servers.natsUrl, 'numbers')
  })
  afterAll(async () => {
    await bus.close()
    await servers.stop()
  })
  beforeEach(() => {
    gaps = []
    const watching = watchForGaps(bus, (sinceMS) => gaps.push(sinceMS))
    onTestFinished(() => {
      watching.stop()
      vi.useRealTimers()
    })
  })

  async function hear(...announcements: { run?: string; number?: number }[]): Promise<void> {
    for (const one of announcements) bus.nats.publish(nodesSubject, JSON.stringify({ node: 'n', ...one }))
    await bus.nats.flush()
  }

  test('report when the last announcement before a gap arrived', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000 })
    const run = randomUUID()
    await hear({ run, number: 7 }, { run, number: 8 })
    vi.setSystemTime(60_000)
    await hear({ run, number: 10 })
    assert.deepEqual(gaps, [1_000])
    await hear({ run, number: 11 })
    assert.equal(gaps.length, 1)
  })

  const nothing: Record<string, { run?: string; number?: number }[]> = {
    'the first announcement received': [{ run: 'a', number: 500 }],
    'a number repeated by a sender unsure whether NATS got it': [
      { run: 'b', number: 1 },
      { run: 'b', number: 1 },
      { run: 'b', number: 2 },
    ],
    'a restarted process': [
      { run: 'c', number: 3 },
      { run: 'd', number: 9 },
    ],
    'a stopping process': [{ run: 'e', number: 3 }, {}, { run: 'e', number: 4 }],
  }
  for (const [which, announcements] of Object.entries(nothing)) {
    test(`report no gap for ${which}`, async () => {
      await hear(...announcements)
      assert.deepEqual(gaps, [])
    })
  }

  test('reveal a new process by number 1', async () => {
    let said = 0
    const count = async () => void said++
    const toNew = announceToNew(bus, count, assert.fail)
    onTestFinished(() => toNew.unsubscribe())
    const run = randomUUID()
    await hear({ run, number: 1 }, { run, number: 2 }, { run, number: 3 }, {})
    assert.equal(said, 1)
  })

  const announcing: Record<string, (onError: (error: Error) => void) => () => void> = {
    gateway(onError) {
      const gateway = holdCacheLease(bus, 'gateway', onError)
      return () => gateway.stop()
    },
    'realtime node'(onError) {
      const node = handleCommands(bus, 'node', () => Promise.resolve(), onError)
      return () => node.unsubscribe()
    },
  }
  for (const [which, start] of Object.entries(announcing)) {
    test(`reveal a new process, which each ${which} answers at once`, async () => {
      let said = 0
      const subjects = [cachingSubject, nodesSubject]
      const subscriptions = subjects.map((subject) =>
        bus.nats.subscribe(subject, {
          callback: (_, message) => {
            if (/"node":"(?:gateway|node)"/.test(message.string())) said++
          },
        }),
      )
      const stop = start(assert.fail)
      onTestFinished(() => {
        stop()
        for (const subscription of subscriptions) subscription.unsubscribe()
      })
      for (let i = 0; i < 20; i++) {
        await hear({ run: randomUUID(), number: 1 })
        await bus.nats.flush()
      }
      // Unprompted, they announce themselves at most twice a second.
      assert.ok(said >= 20, String(said))
    })
  }

  test('report no gap for a late announcement', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000 })
    const say = numberAnnouncements(bus, nodesSubject)
    await say({ node: 'n' })
    vi.setSystemTime(100_000)
    await Promise.all([say({ node: 'n' }), say({ node: 'n' })])
    await say({ node: 'n' })
    assert.deepEqual(gaps, [])
  })

  test("report no gap for announcements lost with the sender's connection", async () => {
    const sender = await connectBus(servers.natsUrl, 'sender')
    onTestFinished(() => sender.close())
    const say = numberAnnouncements(sender, nodesSubject)
    await say({ node: 'n' })
    await sender.nats.reconnect()
    await vi.waitUntil(() => !sender.connected, { timeout: 100_000, interval: 1 })
    await Promise.allSettled([say({ node: 'n' })])
    await vi.waitUntil(() => sender.connected, { timeout: 100_000 })
    await say({ node: 'n' })
    await bus.nats.flush()
    assert.deepEqual(gaps, [])
  })
})
