import type { Input } from '@parley/contracts/operation'
import type {
  subscribe as subscribeOperation,
  unsubscribe as unsubscribeOperation,
} from '@parley/contracts/operations/users/devices'
import { key } from '@parley/db/keys'
import { inTransaction, type Session } from '@parley/db/transactions/transaction'
import { deleteDevices, saveDevice } from '@parley/db/users/devices'
import type { UserCaller } from '../access/caller.ts'
import { takeCaller } from '../access/take-caller.ts'
import type { Chat } from '../chat.ts'

/** Registers the push token of one of the caller's devices; any other device with this token loses it. */
export async function subscribeDevice(
  chat: Chat,
  caller: UserCaller,
  { type, token, deviceId: device }: Input<typeof subscribeOperation>['body'],
): Promise<{ type: 'ios' | 'fcm'; deviceId: string }> {
  const { app, user } = caller
  const save = async (session: Session) => {
    await takeCaller(chat.db, caller, session)
    await saveDevice(chat.db, { app, user, device, type, token }, session)
  }
  await inTransaction(chat.db, save, { turn: key('device', app, token) })
  return { type, deviceId: device }
}

/** Unregisters the given device or token, or with neither all devices of the caller. */
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
