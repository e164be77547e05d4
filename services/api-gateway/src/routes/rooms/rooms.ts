import type { Chat } from '@parley/chat/chat'
import { createRoom } from '@parley/chat/rooms/create-room'
import { deleteRoom } from '@parley/chat/rooms/delete-room'
import { getRoom } from '@parley/chat/rooms/get-room'
import { listRooms } from '@parley/chat/rooms/list-rooms'
import { updateRoom } from '@parley/chat/rooms/update-room'
import * as operations from '@parley/contracts/operations/rooms/rooms'
import type { Mount } from '../../mount.ts'

export function mountRooms(mount: Mount, chat: Chat): void {
  mount(operations.createRoom, ({ caller, body }) => createRoom(chat, caller.app, body))

  mount(operations.listRooms, ({ caller, query }) => listRooms(chat, caller, query))

  mount(operations.getRoom, ({ caller, params }) => getRoom(chat, caller, params.id))

  mount(operations.updateRoom, ({ caller, params, body }) => updateRoom(chat, caller, params.id, body))

  mount(operations.deleteRoom, ({ caller, params }) => deleteRoom(chat, caller, params.id))
}
