import { asUser } from '@parley/chat/access/caller'
import type { Chat } from '@parley/chat/chat'
import { muteMyRoom, muteRoomOfUser } from '@parley/chat/rooms/room-prefs'
import * as operations from '@parley/contracts/operations/rooms/room-preferences'
import type { Mount } from '../mount.ts'

export function mountMutes(mount: Mount, chat: Chat): void {
  mount(operations.unmuteUser, ({ chat, caller, params }) =>
    muteRoomOfUser(chat, asUser(caller.app, params.uid), params.room, false),
  )

  mount(operations.muteUser, ({ chat, caller, params }) =>
    muteRoomOfUser(chat, asUser(caller.app, params.uid), params.room, true),
  )

  mount(operations.muteRoom, ({ caller, params, device }) => muteMyRoom(chat, caller, params.room, true, device))
  mount(operations.unmuteRoom, ({ caller, params, device }) => muteMyRoom(chat, caller, params.room, false, device))
}
