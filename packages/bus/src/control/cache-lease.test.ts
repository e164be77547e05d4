import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { cachingSubject } from '@parley/contracts/bus/subjects'
import { eventually } from '@parley/stack/eventually'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterAll, beforeAll, describe, onTestFinished, test, vi } from 'vitest'
import { type Bus, connectBus } from '../connect.ts'
import { listenToAnnouncements } from './announcements.ts'
import { holdCacheLease } from './cache-lease.ts'

describe('a gateway without a token to read for a minute', () => {
  const [longMS, idleTurnMS] = [100_000, 2_000]
  let servers: Servers
  let bus: Bus
  beforeAll(async () => {
    servers = await isolatedServers(['nats'])
    bus = await connectBus(servers.natsUrl, 'gateways')
  })
  afterAll(async () => {
    await bus.close()
    await servers.stop()
  })

  /** Two gateways, one of which needs its lease all the time. The clock stands still. */
  function startGateways() {
    vi.useFakeTimers({ toFake: ['performance'] })
    const counts = new Map<string, number>()
    const published = { seq: 1, id: 'event' }
    const quiet: Bus = Object.create(bus, { acknowledged: { value: { latest: () => published } } })
    const start = (of: Bus): Gateway => {
      const node = randomUUID()
      return { node, ...holdCacheLease(of, node, assert.fail) }
    }
    const [idle, busy] = [start(quiet), start(bus)]
    const hearing = listenToAnnouncements(bus, cachingSubject, ({ node }) => {
      counts.set(node, (counts.get(node) ?? 0) + 1)
      busy.heardSinceMS()
    })
    onTestFinished(() => {
      for (const gateway of [idle, busy]) gateway.stop()
      hearing.unsubscribe()
      vi.useRealTimers()
    })
    const announced = ({ node }: Gateway) => counts.get(node) ?? 0
    const more = (gateway: Gateway, count: number) => {
      const wanted = announced(gateway) + count
      return eventually('it announces itself', () => announced(gateway) >= wanted)
    }
    return { idle, busy, published, announced, more }
  }
  type Gateway = { node: string } & ReturnType<typeof holdCacheLease>

  async function becomeIdle({ idle, busy, more }: ReturnType<typeof startGateways>): Promise<void> {
    await more(idle, 2)
    vi.advanceTimersByTime(longMS)
    busy.heardSinceMS()
    // The first announcement since may have been due already.
    await more(busy, 4)
  }

  test('announces itself every two seconds instead of twice a second, and after each event', async () => {
    const gateways = startGateways()
    const { idle, busy, published, announced, more } = gateways
    await becomeIdle(gateways)
    const before = announced(idle)
    await more(busy, 4)
    assert.equal(announced(idle), before, 'its turn has not come')
    vi.advanceTimersByTime(idleTurnMS)
    await more(idle, 1)
    published.seq++
    await more(idle, 1)
  })

  test('gets its lease again a second after the next one, and not before', async () => {
    const gateways = startGateways()
    const { idle, more } = gateways
    await more(idle, 1)
    vi.advanceTimersByTime(1_000)
    await eventually('it has its lease', () => idle.heardSinceMS() !== undefined)
    await becomeIdle(gateways)
    vi.advanceTimersByTime(idleTurnMS)
    await more(idle, 1)
    vi.advanceTimersByTime(1_000)
    assert.equal(idle.heardSinceMS(), undefined, 'no sender waits for it yet')
    await more(idle, 2)
    assert.equal(idle.heardSinceMS(), undefined, 'a new sender may still not know it')
    vi.advanceTimersByTime(1_000)
    await eventually('it has its lease', () => idle.heardSinceMS() !== undefined)
  })
})
