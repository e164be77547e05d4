import type { RunningService } from './platform.ts'

/** The metrics of a service, by default in Prometheus' text format. */
export async function metricsOf({ ports }: Pick<RunningService, 'ports'>, accept = 'text/plain'): Promise<string> {
  return (await fetch(`http://127.0.0.1:${ports['internal']}/metrics`, { headers: { accept } })).text()
}

/** The client connections in a realtime node's metrics. A bridged session is counted at its owner. */
export function connectionsIn(metrics: string): number {
  const samples = metrics.matchAll(/^parley_connections\{.*transport="(?:polling|websocket)".*\} (\d+)$/gm)
  return [...samples].reduce((sum, [, count]) => sum + Number(count), 0)
}

/** The client connections of a realtime node. */
export async function openConnections(node: RunningService): Promise<number> {
  return connectionsIn(await metricsOf(node))
}
