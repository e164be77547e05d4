import { inspectMembers, inspectRoom } from '@parley/chat/admin/inspect-room'
import { inspectRoomsOfUser, inspectUser } from '@parley/chat/admin/inspect-user'
import { listAllRooms } from '@parley/chat/admin/list-all-rooms'
import { listAllUsers } from '@parley/chat/admin/list-all-users'
import { searchAllMessages } from '@parley/chat/admin/search-all-messages'
import { listAudit } from '@parley/chat/audit/list-audit'
import type { Chat } from '@parley/chat/chat'
import type { Presence } from '@parley/chat/integrations/stats-report'
import { listPins } from '@parley/chat/messages/reading/list-pins'
import { roomHistory } from '@parley/chat/messages/reading/room-history'
import { listBans } from '@parley/chat/moderation/ban-member'
import { listThread } from '@parley/chat/threads/list-thread'
import { readTimeline } from '@parley/chat/timeline/read-timeline'
import * as audit from '@parley/contracts/operations/admin/audit'
import * as clients from '@parley/contracts/operations/admin/clients'
import * as rooms from '@parley/contracts/operations/admin/rooms'
import * as search from '@parley/contracts/operations/admin/search'
import * as timeline from '@parley/contracts/operations/admin/timeline'
import * as users from '@parley/contracts/operations/admin/users'
import type { Mount } from '../mount.ts'

export function mountAdministration(mount: Mount, chat: Chat, presence: Presence): void {
  mount(rooms.listAllRooms, ({ caller, query }) => listAllRooms(chat, caller.app, query))
  mount(rooms.inspectRoom, ({ caller, params }) => inspectRoom(chat, caller, params.id))
  mount(rooms.inspectMembers, ({ caller, params, query }) => inspectMembers(chat, caller.app, params.id, query))

  mount(rooms.inspectMessages, ({ caller, params, query: { includeDeleted, ...query } }) =>
    roomHistory(chat, caller, params.id, query, { includeDeleted: includeDeleted === 'true' }),
  )

  mount(rooms.inspectThread, ({ caller, params, query }) => listThread(chat, caller, params.id, query))
  mount(rooms.inspectPins, ({ caller, params, query }) => listPins(chat, caller, params.id, query))
  mount(rooms.inspectBans, ({ caller, params, query }) => listBans(chat, caller, params.id, query))

  mount(rooms.inspectRoomsOfUser, ({ caller, params, query }) =>
    inspectRoomsOfUser(chat, caller.app, params.client_id, query),
  )

  mount(search.searchAllMessages, ({ caller, body }) => searchAllMessages(chat, caller.app, body))
  mount(timeline.readTimeline, ({ caller, query }) => readTimeline(chat, presence, caller, query))
  mount(audit.listAudit, ({ caller, query }) => listAudit(chat, caller.app, query))
  mount(users.listAllUsers, ({ caller, query }) => listAllUsers(chat, caller.app, query))
  mount(clients.inspectUser, ({ caller, params }) => inspectUser(chat, caller.app, params.client_id))
}
