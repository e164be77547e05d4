import { type Retention, retention, retentionKey } from '@parley/contracts/resources/retention'
import { findConfigValue } from '@parley/db/apps/config'
import type { Db } from '@parley/db/connect'
import type { RoomDoc } from '@parley/db/rooms/documents'

const dayMS = 24 * 60 * 60 * 1_000

/** Retention settings of an app, from its configuration. */
export async function findRetention(db: Db, app: string): Promise<Retention> {
  const value = await findConfigValue(db, app, retentionKey)
  return retention.safeParse(value && JSON.parse(value.json)).data ?? {}
}

/** The time (Unix milliseconds) before which a room's messages are removed; undefined if they are kept. */
export function keptFromMS(
  { roomType, retentionDays = 0 }: Pick<RoomDoc, 'roomType' | 'retentionDays'>,
  ofApp: Retention,
  nowMS: number,
): number | undefined {
  const days = retentionDays || ofApp[roomType] || ofApp.days
  return days === undefined ? undefined : nowMS - days * dayMS
}
