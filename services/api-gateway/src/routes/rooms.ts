import type { Chat } from '@parley/chat/chat'
import { createRoom } from '@parley/chat/create-room'
import { listRooms } from '@parley/chat/list-rooms'
import { markRead } from '@parley/chat/mark-read'
import * as operations from '@parley/contracts/operations/rooms'
import type { Mount } from '../mount.ts'

export function mountRooms(mount: Mount, chat: Chat): void {
  mount(operations.createRoom, ({ caller, body }) => createRoom(chat, caller.app, body))

  mount(operations.listRooms, ({ caller, query }) => listRooms(chat, caller, query))

  mount(operations.markRead, ({ caller, params, body }) => markRead(chat, caller, params.id, body.message))
}
