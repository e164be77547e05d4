import type { Chat } from '@parley/chat/chat'
import { addMembers } from '@parley/chat/rooms/add-members'
import { declineInvitation, joinRoom, listInvitations } from '@parley/chat/rooms/invitations'
import { listMembers, setMemberRole } from '@parley/chat/rooms/list-members'
import { removeMembers } from '@parley/chat/rooms/remove-members'
import * as operations from '@parley/contracts/operations/rooms/members'
import type { Mount } from '../mount.ts'

export function mountMembers(mount: Mount, chat: Chat): void {
  mount(operations.listMembers, ({ caller, params, query }) => listMembers(chat, caller, params.id, query))
  mount(operations.addMembers, ({ chat, caller, params, body }) => addMembers(chat, caller, params.id, body))
  mount(operations.joinRoom, ({ caller, params, body }) => joinRoom(chat, caller, params.id, body.systemMessage))
  mount(operations.listInvitations, ({ caller, query }) => listInvitations(chat, caller, query))
  mount(operations.declineInvitation, ({ caller, params }) => declineInvitation(chat, caller, params.id))
  mount(operations.removeMembers, ({ chat, caller, params, body }) => removeMembers(chat, caller, params.id, body))

  mount(operations.setMemberRole, ({ chat, caller, params, body }) =>
    setMemberRole(chat, caller, params.id, params.client, body.value),
  )
}
