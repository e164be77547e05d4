import type { Chat } from '@parley/chat/chat'
import { getRoom } from '@parley/chat/get-room'
import { deleteRoom, updateRoom } from '@parley/chat/update-room'
import * as operations from '@parley/contracts/operations/room'
import { actor } from '../authenticate.ts'
import type { Mount } from '../mount.ts'

export function mountRoom(mount: Mount, chat: Chat): void {
  mount(operations.getRoom, ({ caller, params }) => getRoom(chat, caller, params.id))

  mount(operations.updateRoom, ({ caller, params, body }) => updateRoom(chat, actor(caller), params.id, body))

  mount(operations.deleteRoom, ({ caller, params }) => deleteRoom(chat, actor(caller), params.id))
}
