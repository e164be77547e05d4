import type { Chat } from '@parley/chat/chat'
import { addReaction, pinMessage, removeReaction, unpinMessage } from '@parley/chat/react'
import * as operations from '@parley/contracts/operations/reactions'
import type { Mount } from '../mount.ts'

export function mountReactions(mount: Mount, chat: Chat): void {
  mount(operations.addReaction, ({ caller, params, body }) => addReaction(chat, caller, params.id, body.reaction))

  mount(operations.removeReaction, ({ caller, params, query }) =>
    removeReaction(chat, caller, params.id, query.reaction),
  )

  mount(operations.pinMessage, ({ caller, params }) => pinMessage(chat, caller, params.id))

  mount(operations.unpinMessage, ({ caller, params }) => unpinMessage(chat, caller, params.id))
}
