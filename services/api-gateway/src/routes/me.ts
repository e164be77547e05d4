import type { Chat } from '@parley/chat/chat'
import { getMe } from '@parley/chat/get-me'
import { deleteMyPref, listMyPrefs, setMyPref } from '@parley/chat/my-prefs'
import * as operations from '@parley/contracts/operations/me'
import type { Mount } from '../mount.ts'

export function mountMe(mount: Mount, chat: Chat): void {
  mount(operations.getMe, ({ caller }) => getMe(chat, caller))

  mount(operations.listMyPrefs, ({ caller }) => listMyPrefs(chat, caller))

  mount(operations.setMyPref, ({ caller, params, body, device }) =>
    setMyPref(chat, caller, params.key, body.data, device),
  )

  mount(operations.deleteMyPref, ({ caller, params, device }) => deleteMyPref(chat, caller, params.key, device))
}
