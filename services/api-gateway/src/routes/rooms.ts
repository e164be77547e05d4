import type { Chat } from '@parley/chat/chat'
import { listCommands } from '@parley/chat/rooms/bot-commands'
import { changesSince } from '@parley/chat/rooms/changes-since'
import { createRoom } from '@parley/chat/rooms/create-room'
import { getRoom } from '@parley/chat/rooms/get-room'
import { listRooms } from '@parley/chat/rooms/list-rooms'
import { markRead } from '@parley/chat/rooms/mark-read'
import { startChat } from '@parley/chat/rooms/start-chat'
import { deleteRoom, updateRoom } from '@parley/chat/rooms/update-room'
import * as changes from '@parley/contracts/operations/rooms/changes'
import * as commands from '@parley/contracts/operations/rooms/commands'
import * as delivered from '@parley/contracts/operations/rooms/delivered'
import * as readMarkers from '@parley/contracts/operations/rooms/read-markers'
import * as rooms from '@parley/contracts/operations/rooms/rooms'
import * as directory from '@parley/contracts/operations/users/directory'
import type { Mount } from '../mount.ts'

export function mountRooms(mount: Mount, chat: Chat): void {
  mount(rooms.createRoom, ({ chat, caller, body }) => createRoom(chat, caller.app, body))
  mount(directory.startChat, ({ caller, body }) => startChat(chat, caller, body))
  mount(rooms.listRooms, ({ caller, query }) => listRooms(chat, caller, query))
  mount(rooms.getRoom, ({ caller, params }) => getRoom(chat, caller, params.id))
  mount(rooms.updateRoom, ({ chat, caller, params, body }) => updateRoom(chat, caller, params.id, body))
  mount(rooms.deleteRoom, ({ chat, caller, params }) => deleteRoom(chat, caller, params.id))
  mount(changes.getChanges, ({ caller, query }) => changesSince(chat, caller, query))
  mount(commands.listCommands, ({ caller, params }) => listCommands(chat, caller, params.id))

  mount(delivered.markDelivered, ({ caller: { app, user }, params, body }) =>
    chat.deliveries.report({ app, user, room: params.id, message: body.message }),
  )

  mount(readMarkers.markRead, ({ caller, params, body }) => markRead(chat, caller, params.id, body.message))
}
