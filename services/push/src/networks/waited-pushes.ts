import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { deviceOf, type PushDoc } from '@parley/db/push/pushes'
import { findDevices } from '@parley/db/users/devices'
import { networkOf } from '../recipients/push-message.ts'

/** After this long, a device may be another user's, and a message deleted. */
const waitedMS = 60_000

/** Whether a push has waited since it was decided: for another try, or for its turn. */
export function hasWaited({ lastError, at }: PushDoc): boolean {
  return lastError !== undefined || Date.now() - at.getTime() > waitedMS
}

/**
 * Gives pushes that have waited the token that their device has now. Those whose device is not the user's any more are left
 * out: its token may be with somebody else. One query, none where none has waited.
 */
export async function withCurrentTokens(db: Db, pushes: readonly PushDoc[]): Promise<Map<string, PushDoc>> {
  const waited = new Set(pushes.filter(hasWaited))
  const devices = new Map(
    (await findDevices(db, [...waited].map(deviceKeyOf))).map((device) => [device._id, device] as const),
  )
  const current = new Map<string, PushDoc>()
  for (const push of pushes) {
    if (!waited.has(push)) {
      current.set(push._id, push)
      continue
    }
    const device = devices.get(deviceKeyOf(push))
    if (!device || networkOf[device.type] !== push.network) continue
    const { topic: _, ...rest } = push
    const { token, topic } = device
    current.set(push._id, { ...rest, token, ...(topic !== undefined && { topic }) })
  }
  return current
}

function deviceKeyOf(push: PushDoc): string {
  return key(push.app, push.user, deviceOf(push))
}
