import { clock } from '@parley/async/clock'
import type { PushNetwork } from '@parley/contracts/resources/push/network'
import { key } from '@parley/db/keys'
import type { PushDoc } from '@parley/db/push/documents'
import type { DeviceDoc } from '@parley/db/users/documents'

export const networkOf = { ios: 'apns', fcm: 'fcm', web: 'web', hms: 'hms', relay: 'relay' } as const satisfies Record<
  DeviceDoc['type'],
  PushNetwork
>

interface PushOptions extends Pick<PushDoc, 'app' | 'content' | 'giveUpAtMS'> {
  badge?: number | undefined
  mentioned?: PushDoc['mentioned']
  /** Set for a connected device that is away: it gets the push at this time unless the user is back. */
  awayUntilMS?: number | undefined
}

/** A push that is due now, or once its device has been away for long enough. */
export function pushTo(
  { user, device, type, token, topic, language, lastError }: DeviceDoc,
  { badge, mentioned, awayUntilMS, ...rest }: PushOptions,
): PushDoc {
  return {
    ...rest,
    _id: key(rest.content, user, device),
    network: networkOf[type],
    user,
    token,
    ...(topic !== undefined && { topic }),
    ...(lastError && { isAfterError: true }),
    ...(language !== undefined && { language }),
    ...(mentioned !== undefined && { mentioned }),
    ...(badge !== undefined && { badge }),
    ...(awayUntilMS !== undefined && { whileAway: true }),
    dueAtMS: Math.max(clock.now(), awayUntilMS ?? 0),
    tries: 0,
    at: clock.date(),
  }
}
