import type { Chat } from '@parley/chat/chat'
import { deleteForAll } from '@parley/chat/messages/changing/delete-for-all'
import { deleteAllForMe, deleteForMe } from '@parley/chat/messages/changing/delete-for-me'
import * as operations from '@parley/contracts/operations/messages/deletions'
import type { Mount } from '../../mount.ts'

export function mountDeletions(mount: Mount, chat: Chat): void {
  mount(operations.deleteForMe, ({ caller, body }) => deleteForMe(chat, caller, body.room, body.messages))

  mount(operations.deleteAllForMe, ({ caller, body }) => deleteAllForMe(chat, caller, body.room))

  mount(operations.deleteForAll, ({ caller, params }) => deleteForAll(chat, caller, params.roomID, params.messageID))
}
