import type { Chat } from '@parley/chat/chat'
import { pushToClients } from '@parley/chat/push/push-to-clients'
import { webPushKeyOf } from '@parley/chat/push/web-push-key'
import { whyPush } from '@parley/chat/push/why-push'
import { subscribeDevice, unsubscribeDevices } from '@parley/chat/users/subscribe-device'
import * as push from '@parley/contracts/operations/integrations/push'
import * as devices from '@parley/contracts/operations/users/devices'
import type { Mount } from '../mount.ts'

export function mountPush(mount: Mount, chat: Chat): void {
  mount(push.pushToClients, async ({ caller, body, request }) => {
    await pushToClients(chat, caller.app, body.clients, body.payload, request)
    return {}
  })

  mount(push.whyPush, ({ caller, query }) => whyPush(chat, caller.app, query.message, query.client))

  mount(devices.subscribe, ({ caller, body }) => subscribeDevice(chat, caller, body))

  mount(devices.webPushKey, ({ caller }) => webPushKeyOf(chat, caller.app))

  mount(devices.unsubscribe, ({ caller, body }) => unsubscribeDevices(chat, caller, body))
}
