import { asUser } from '@parley/chat/access/caller'
import type { Chat } from '@parley/chat/chat'
import * as settings from '@parley/chat/push/notification-settings'
import { setRoomPref } from '@parley/chat/rooms/room-prefs'
import { deleteMyPref, listMyPrefs, setMyPref } from '@parley/chat/users/me'
import * as roomPreferences from '@parley/contracts/operations/rooms/room-preferences'
import * as notifications from '@parley/contracts/operations/users/notifications'
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

  mountMyNotifications(mount, chat)
  mount(notifications.getNotifications, ({ chat, caller, params }) =>
    settings.getNotifications(chat, asUser(caller.app, params.uid)),
  )
  mount(notifications.setNotifications, ({ chat, caller, params, body }) =>
    settings.setNotifications(chat, asUser(caller.app, params.uid), body),
  )
  mount(notifications.getRoomNotifications, ({ chat, caller, params }) =>
    settings.getRoomNotifications(chat, asUser(caller.app, params.uid), params.room),
  )
  mount(notifications.setRoomNotifications, ({ chat, caller, params, body }) =>
    settings.setRoomNotifications(chat, asUser(caller.app, params.uid), params.room, body),
  )
}

function mountMyNotifications(mount: Mount, chat: Chat): void {
  mount(notifications.getMyNotifications, ({ caller }) => settings.getNotifications(chat, caller))
  mount(notifications.setMyNotifications, ({ caller, body, device }) =>
    settings.setNotifications(chat, caller, body, device),
  )
  mount(notifications.getMyRoomNotifications, ({ caller, params }) =>
    settings.getRoomNotifications(chat, caller, params.room),
  )
  mount(notifications.setMyRoomNotifications, ({ caller, params, body, device }) =>
    settings.setRoomNotifications(chat, caller, params.room, body, device),
  )
  mount(notifications.getMyThreadNotifications, ({ caller, params }) =>
    settings.getThreadNotifications(chat, caller, params.id),
  )
  mount(notifications.setMyThreadNotifications, ({ caller, params, body, device }) =>
    settings.setThreadNotifications(chat, caller, params.id, body, device),
  )
}
