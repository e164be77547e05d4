import type { Chat } from '@parley/chat/chat'
import { setRoomPref } from '@parley/chat/rooms/set-room-pref'
import { deleteMyPref, listMyPrefs, setMyPref } from '@parley/chat/users/me'
import * as roomPreferences from '@parley/contracts/operations/rooms/room-preferences'
import * as preferences from '@parley/contracts/operations/users/preferences'
import type { Mount } from '../mount.ts'

export function mountPreferences(mount: Mount, chat: Chat): void {
  mount(preferences.listMyPrefs, ({ caller, query }) => listMyPrefs(chat, caller, query))

  mount(preferences.setMyPref, ({ caller, params, body, device }) =>
    setMyPref(chat, caller, params.key, body.data, device),
  )

  mount(preferences.deleteMyPref, ({ caller, params, device }) => deleteMyPref(chat, caller, params.key, device))

  mount(roomPreferences.setRoomPref, ({ caller, params, body, device }) =>
    setRoomPref(chat, caller, params.room, body, device),
  )
}
