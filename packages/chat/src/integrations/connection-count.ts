import type { Presence } from '@parley/presence/connect'
import { countConnections } from '@parley/presence/connection-counts'

/** The current connections of an app, over all living nodes (docs/reference/statistics.md). */
export async function connectionCount(presence: Presence, app: string): Promise<{ count: number }> {
  return { count: await countConnections(presence, app) }
}
