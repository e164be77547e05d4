import type { RunningService } from './platform.ts'

/** How many connections of clients a realtime node holds, by its metrics; a session that it bridges is held by another node. */
export function connectionsIn(metrics: string): number {
  const samples = metrics.matchAll(/^parley_connections\{.*transport="(?:polling|websocket)".*\} (\d+)$/gm)
  return [...samples].reduce((sum, [, count]) => sum + Number(count), 0)
}

/** How many connections of clients this realtime node holds, by its own count. */
export async function openConnections(node: RunningService): Promise<number> {
  return connectionsIn(await (await fetch(`http://127.0.0.1:${node.ports['internal']}/metrics`)).text())
}
