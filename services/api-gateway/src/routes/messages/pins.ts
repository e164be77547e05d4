import type { Chat } from '@parley/chat/chat'
import { pinMessage, unpinMessage } from '@parley/chat/messages/changing/pin-message'
import { listPins } from '@parley/chat/messages/reading/list-pins'
import * as operations from '@parley/contracts/operations/messages/pins'
import type { Mount } from '../../mount.ts'

export function mountPins(mount: Mount, chat: Chat): void {
  mount(operations.pinMessage, ({ caller, params }) => pinMessage(chat, caller, params.id))

  mount(operations.unpinMessage, ({ caller, params }) => unpinMessage(chat, caller, params.id))

  mount(operations.listPins, ({ caller, params, query }) => listPins(chat, caller, params.id, query))
}
