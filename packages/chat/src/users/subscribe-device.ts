import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type {
  subscribe as subscribeOperation,
  unsubscribe as unsubscribeOperation,
} from '@parley/contracts/operations/users/devices'
import { pushSubscription } from '@parley/contracts/resources/push/subscription'
import type { Session } from '@parley/db/connect'
import { type AppUser, key } from '@parley/db/keys'
import { inTransaction } from '@parley/db/transactions/transaction'
import { deleteDevices, pushTokenId, saveDevice } from '@parley/db/users/devices'
import type { DeviceDoc } from '@parley/db/users/documents'
import type { UserCaller } from '../access/caller.ts'
import { lockCaller } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'

/** Registers the push token of one of the caller's devices. Any other device loses this token. */
export async function subscribeDevice(
  chat: Chat,
  caller: UserCaller,
  { type, token, deviceId: device, language }: Input<typeof subscribeOperation>['body'],
): Promise<{ type: DeviceDoc['type']; deviceId: string }> {
  const { app, user } = caller
  if (type === 'web') checkSubscription(token)
  const save = async (session: Session) => {
    await lockCaller(chat.db, caller, session)
    await saveDevice(chat.db, { app, user, device, type, token, ...(language !== undefined && { language }) }, session)
  }
  await inTransaction(chat.db, save, { lock: key('device', app, pushTokenId(token)) })
  return { type, deviceId: device }
}

function checkSubscription(token: string): void {
  const parsed = pushSubscription.safeParse(textAsJson(token))
  if (parsed.success) return
  const [{ path, message } = { path: [], message: 'expected an object' }] = parsed.error.issues
  const where = ['token', ...path].join('.')
  throw new ApiError('INVALID_REQUEST', `${where}: ${message}; with type web, send JSON.stringify(subscription)`)
}

function textAsJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Unregisters a device of a user, for an API key. */
export async function removeDevice(chat: Chat, { app, user }: AppUser, device: string): Promise<{ removed: number }> {
  const removed = await inTransaction(chat.db, async (session) => {
    const count = await deleteDevices(chat.db, app, user, { device }, session)
    if (count > 0) {
      chat.audit?.addDetails({ before: { device } })
      await chat.audit?.write(chat.db, session)
    }
    return count
  })
  chat.audit?.committed()
  return { removed }
}

/** Unregisters the given device or token; with neither, all of the caller's devices. */
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
