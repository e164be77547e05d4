import type { Chat } from '@parley/chat/chat'
import { deleteForAll } from '@parley/chat/delete-for-all'
import { deleteAllForMe, deleteForMe } from '@parley/chat/delete-for-me'
import * as operations from '@parley/contracts/operations/deletions'
import { actor } from '../authenticate.ts'
import type { Mount } from '../mount.ts'

export function mountDeletions(mount: Mount, chat: Chat): void {
  mount(operations.deleteForMe, ({ caller, body }) => deleteForMe(chat, caller, body.room, body.messages))

  mount(operations.deleteAllForMe, ({ caller, body }) => deleteAllForMe(chat, caller, body.room))

  mount(operations.deleteForAll, ({ caller, params }) =>
    deleteForAll(chat, actor(caller), params.roomID, params.messageID),
  )
}
