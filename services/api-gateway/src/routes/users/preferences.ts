import type { Chat } from '@parley/chat/chat'
import { listMyPrefs } from '@parley/chat/users/list-my-prefs'
import { deleteMyPref, setMyPref } from '@parley/chat/users/set-my-pref'
import * as operations from '@parley/contracts/operations/users/preferences'
import type { Mount } from '../../mount.ts'

export function mountPreferences(mount: Mount, chat: Chat): void {
  mount(operations.listMyPrefs, ({ caller, query }) => listMyPrefs(chat, caller, query))

  mount(operations.setMyPref, ({ caller, params, body, device }) =>
    setMyPref(chat, caller, params.key, body.data, device),
  )

  mount(operations.deleteMyPref, ({ caller, params, device }) => deleteMyPref(chat, caller, params.key, device))
}
