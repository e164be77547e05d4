import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Balanced, startBalanced } from '../faults/balanced.ts'
import { type Load, startLoad } from '../k8s/load.ts'
import { openConnections } from '../service-metrics.ts'

describe('services replaced under load, as in an update', () => {
  let at: Balanced
  let load: Load
  beforeAll(async () => {
    at = await startBalanced({ nodeCount: 2 })
    const { apiKey, clientKey } = at.platform
    load = await startLoad({
      ...{ gatewayUrl: at.url, realtimeUrl: at.url, apiKey, clientKey },
      clients: 30,
      sends: 10,
      openConnections: async () =>
        (await Promise.all(at.nodes.map(openConnections))).reduce((sum, count) => sum + count, 0),
    })
  })
  afterAll(async () => {
    load?.stop()
    await at.stop()
  })

  /** Replaces each process: starts a new one, removes the old one from the load balancer, then stops it. */
  async function replaceAll(kind: 'gateways' | 'nodes'): Promise<void> {
    const old = [...at[kind]]
    const fresh = await Promise.all(old.map(() => (kind === 'nodes' ? at.newNode() : at.newGateway())))
    at[kind].splice(0, old.length, ...fresh)
    at.balance()
    await Promise.all(old.map((service) => service.stop()))
  }

  for (const [kind, moves] of [
    ['gateways', 0],
    ['nodes', 1],
  ] as const) {
    test(`${kind}: no call fails, no message is lost or repeated, and clients reconnect ${moves} times`, async () => {
      load.begin()
      const before = load.clients.map(({ ends }) => ends.length)
      await replaceAll(kind)
      const { sent, refused, unanswered, lost, twice, reconnects } = await load.report()
      assert.ok(sent > 0)
      const ends = load.clients.map((client, n) => client.ends.slice(before[n]))
      assert.deepEqual(
        { refused, unanswered, lost, twice, reconnects, restless: reconnects > moves && ends },
        { refused: {}, unanswered: {}, lost: 0, twice: 0, reconnects: moves, restless: false },
      )
    })
  }
})
