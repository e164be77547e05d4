import type { Input } from '@parley/contracts/operation'
import type {
  subscribe as subscribeOperation,
  unsubscribe as unsubscribeOperation,
} from '@parley/contracts/operations/devices'
import { deleteDevices, saveDevice } from '@parley/db/devices'
import { inTransaction } from '@parley/db/transaction'
import type { UserCaller } from './authenticate-user.ts'
import type { Chat } from './chat.ts'

/** Registers the push token of one of the caller's devices; whoever else had this token loses it. */
export async function subscribeDevice(
  chat: Chat,
  { app, user }: UserCaller,
  { type, token, deviceId: device }: Input<typeof subscribeOperation>['body'],
): Promise<{ type: 'ios' | 'fcm'; deviceId: string }> {
  await inTransaction(chat.db, (session) => saveDevice(chat.db, { app, user, device, type, token }, session))
  return { type, deviceId: device }
}

/** Unregisters the device or the token named, or with neither all devices of the caller. */
export async function unsubscribeDevices(
  chat: Chat,
  { app, user }: UserCaller,
  { deviceId, token }: Input<typeof unsubscribeOperation>['body'],
): Promise<{ removed: number }> {
  if (deviceId === undefined && token === undefined) return { removed: await deleteDevices(chat.db, app, user, 'all') }
  const byDevice = deviceId === undefined ? 0 : await deleteDevices(chat.db, app, user, { device: deviceId })
  const byToken = token === undefined ? 0 : await deleteDevices(chat.db, app, user, { token })
  return { removed: byDevice + byToken }
}
