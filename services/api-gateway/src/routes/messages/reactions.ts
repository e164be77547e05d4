import type { Chat } from '@parley/chat/chat'
import { addReaction, removeReaction } from '@parley/chat/messages/changing/react'
import * as operations from '@parley/contracts/operations/messages/reactions'
import type { Mount } from '../../mount.ts'

export function mountReactions(mount: Mount, chat: Chat): void {
  mount(operations.addReaction, ({ caller, params, body }) => addReaction(chat, caller, params.id, body.reaction))

  mount(operations.removeReaction, ({ caller, params, query }) =>
    removeReaction(chat, caller, params.id, query.reaction),
  )
}
