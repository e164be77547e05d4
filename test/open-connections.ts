import type { RunningService } from './platform.ts'

/** The client connections in a realtime node's metrics. A bridged session is counted at its owner. */
export function connectionsIn(metrics: string): number {
  const samples = metrics.matchAll(/^parley_connections\{.*transport="(?:polling|websocket)".*\} (\d+)$/gm)
  return [...samples].reduce((sum, [, count]) => sum + Number(count), 0)
}

/** The client connections of a realtime node. */
export async function openConnections(node: RunningService): Promise<number> {
  return connectionsIn(await (await fetch(`http://127.0.0.1:${node.ports['internal']}/metrics`)).text())
}
