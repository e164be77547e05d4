import type { Chat } from '@parley/chat/chat'
import { muteMyRoom, muteRoomOfUser, setRoomPref } from '@parley/chat/room-pref'
import * as operations from '@parley/contracts/operations/mutes'
import type { Mount } from '../mount.ts'

export function mountMutes(mount: Mount, chat: Chat): void {
  mount(operations.muteUser, ({ caller, params }) =>
    muteRoomOfUser(chat, { app: caller.app, user: params.uid }, params.room, true),
  )

  mount(operations.unmuteUser, ({ caller, params }) =>
    muteRoomOfUser(chat, { app: caller.app, user: params.uid }, params.room, false),
  )

  mount(operations.muteRoom, ({ caller, params, device }) => muteMyRoom(chat, caller, params.room, true, device))

  mount(operations.unmuteRoom, ({ caller, params, device }) => muteMyRoom(chat, caller, params.room, false, device))

  mount(operations.setRoomPref, ({ caller, params, body, device }) =>
    setRoomPref(chat, caller, params.room, body, device),
  )
}
