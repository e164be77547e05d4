import { type Front, openFront } from '@parley/local/front'
import type { ServerName } from '@parley/stack/up'
import { type Platform, type RunningService, startPlatform } from '../platform.ts'

/** Two gateways and some realtime nodes behind one address, which tests can kill, stop and replace. */
export interface Balanced {
  platform: Platform
  /** The common address, without sticky sessions: each poll of a client can reach another node. */
  url: string
  /** The processes that get requests. Call `balance` after changing a list. */
  gateways: RunningService[]
  nodes: RunningService[]
  /** Makes the front use the current lists. */
  balance: () => void
  newNode: () => Promise<RunningService>
  newGateway: () => Promise<RunningService>
  stop(): Promise<void>
}

/**
 * @param toKill the servers that the test kills
 * @param settings of realtime nodes
 * @param ofAll settings of nodes and gateways
 */
export async function startBalanced({
  nodeCount,
  toKill = [],
  settings = {},
  ofAll = {},
}: {
  nodeCount: number
  toKill?: readonly ServerName[]
  settings?: NodeJS.ProcessEnv
  ofAll?: NodeJS.ProcessEnv
}): Promise<Balanced> {
  const platform = await startPlatform({ toKill })
  const front: Front = await openFront('127.0.0.1', 0)
  const newGateway = () => platform.start('api-gateway', ofAll)
  const newNode = () =>
    platform.start('realtime', {
      // A client starved of CPU time must not consider its node dead.
      PARLEY_REALTIME_PING_INTERVAL_MS: '10000',
      PARLEY_REALTIME_PING_TIMEOUT_MS: '30000',
      PARLEY_REALTIME_TRUSTED_PROXIES: '1',
      ...ofAll,
      ...settings,
    })
  const gateways = await Promise.all([newGateway(), newGateway()])
  const nodes = await Promise.all(Array.from({ length: nodeCount }, newNode))
  const portOf = ({ ports }: RunningService) => Number(ports['http'])
  const balance = () => front.balance({ gateways: gateways.map(portOf), realtime: nodes.map(portOf) })
  balance()
  return {
    ...{ platform, url: `http://127.0.0.1:${front.port}`, gateways, nodes, balance, newNode, newGateway },
    async stop() {
      await platform.stop()
      await front.close()
    },
  }
}
