import { defined } from '@parley/contracts/defined'
import type { Input, Result } from '@parley/contracts/operation'
import type { listDevices as operation } from '@parley/contracts/operations/admin/devices'
import type { PushDevice } from '@parley/contracts/resources/push/device'
import { digest } from '@parley/db/apps/apps'
import { key } from '@parley/db/keys'
import { findDevicePage } from '@parley/db/users/devices'
import type { DeviceDoc } from '@parley/db/users/documents'
import { keyFingerprint } from '../access/new-token.ts'
import type { Chat } from '../chat.ts'
import { decodeCursor, encodeCursor, maybeEmpty, pageOf } from '../page-cursor.ts'

/** GET /admin/push/devices: a page of the devices of the app or of a user. @throws ApiError INVALID_QUERY */
export async function listDevices(
  { db }: Chat,
  app: string,
  { client, limit, cursor }: Input<typeof operation>['query'],
): Promise<Result<typeof operation>> {
  const [user = '', device = ''] = cursor === undefined ? [] : decodeCursor('devices', cursor, maybeEmpty, maybeEmpty)
  const after = cursor === undefined ? undefined : key(user, device)
  const { shown, last } = pageOf(await findDevicePage(db, app, { client, after, limit: limit + 1 }), limit)
  return {
    data: shown.map(toDeviceView),
    ...(last && { cursor: encodeCursor('devices', last.user, last.device) }),
  }
}

export function toDeviceView(doc: DeviceDoc): PushDevice {
  const { user, device, type, token, language, topic, updatedAt, lastError } = doc
  return {
    client: user,
    deviceId: device,
    type,
    fingerprint: keyFingerprint(digest(token)),
    ...defined({ language, topic }),
    updatedAt: updatedAt.toISOString(),
    ...(lastError && { lastError }),
  }
}
