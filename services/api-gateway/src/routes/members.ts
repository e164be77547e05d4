import { addMembers, declineInvitation } from '@parley/chat/add-members'
import type { Chat } from '@parley/chat/chat'
import { listMembers } from '@parley/chat/get-room'
import { joinRoom } from '@parley/chat/join-room'
import { removeMembers } from '@parley/chat/remove-members'
import { setMemberRole } from '@parley/chat/update-room'
import * as operations from '@parley/contracts/operations/members'
import { actor } from '../authenticate.ts'
import type { Mount } from '../mount.ts'

export function mountMembers(mount: Mount, chat: Chat): void {
  mount(operations.listMembers, ({ caller, params, query }) => listMembers(chat, actor(caller), params.id, query))

  mount(operations.addMembers, ({ caller, params, body }) => addMembers(chat, actor(caller), params.id, body))

  mount(operations.joinRoom, ({ caller, params, body }) => joinRoom(chat, caller, params.id, body.systemMessage))

  mount(operations.declineInvitation, ({ caller, params }) => declineInvitation(chat, caller, params.id))

  mount(operations.removeMembers, ({ caller, params, body }) => removeMembers(chat, actor(caller), params.id, body))

  mount(operations.setMemberRole, ({ caller, params, body }) =>
    setMemberRole(chat, actor(caller), params.id, params.client, body.value),
  )
}
