import type { Chat } from '@parley/chat/chat'
import { subscribeDevice, unsubscribeDevices } from '@parley/chat/users/subscribe-device'
import * as operations from '@parley/contracts/operations/users/devices'
import type { Mount } from '../../mount.ts'

export function mountDevices(mount: Mount, chat: Chat): void {
  mount(operations.subscribe, ({ caller, body }) => subscribeDevice(chat, caller, body))

  mount(operations.unsubscribe, ({ caller, body }) => unsubscribeDevices(chat, caller, body))
}
