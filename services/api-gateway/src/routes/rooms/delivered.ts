import type { Chat } from '@parley/chat/chat'
import * as operations from '@parley/contracts/operations/rooms/delivered'
import type { Mount } from '../../mount.ts'

export function mountDelivered(mount: Mount, chat: Chat): void {
  mount(operations.markDelivered, ({ caller: { app, user }, params, body }) =>
    chat.deliveries.report({ app, user, room: params.id, message: body.message }),
  )
}
