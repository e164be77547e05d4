import type { Chat } from '@parley/chat/chat'
import { listDevices } from '@parley/chat/push/list-devices'
import { pushToClients } from '@parley/chat/push/push-to-clients'
import { webPushKeyOf } from '@parley/chat/push/web-push-key'
import { whyPush } from '@parley/chat/push/why-push'
import { removeDevice, subscribeDevice, unsubscribeDevices } from '@parley/chat/users/subscribe-device'
import * as adminDevices from '@parley/contracts/operations/admin/devices'
import * as push from '@parley/contracts/operations/integrations/push'
import * as devices from '@parley/contracts/operations/users/devices'
import type { Mount } from '../mount.ts'

export function mountPush(mount: Mount, chat: Chat): void {
  mount(push.pushToClients, async ({ caller, body, request }) => {
    await pushToClients(chat, caller.app, body.clients, body.payload, request)
    return {}
  })

  mount(push.whyPush, ({ caller, query }) => whyPush(chat, caller.app, query.message, query.client))
  mount(adminDevices.listDevices, ({ caller, query }) => listDevices(chat, caller.app, query))

  mount(adminDevices.removeDevice, ({ chat, caller, params }) =>
    removeDevice(chat, { app: caller.app, user: params.client_id }, params.device),
  )

  mount(devices.subscribe, ({ caller, body }) => subscribeDevice(chat, caller, body))
  mount(devices.webPushKey, ({ caller }) => webPushKeyOf(chat, caller.app))
  mount(devices.unsubscribe, ({ caller, body }) => unsubscribeDevices(chat, caller, body))
}
