import type { Chat } from '@parley/chat/chat'
import { exportUser } from '@parley/chat/export/export-user'
import { liftHold, listHolds, placeHold } from '@parley/chat/holds/holds'
import * as users from '@parley/contracts/operations/data/export'
import * as holds from '@parley/contracts/operations/data/holds'
import type { Mount } from '../mount.ts'
import type { FilesHere } from './files.ts'

export function mountData(mount: Mount, chat: Chat, { store }: FilesHere): void {
  mount(users.exportUser, ({ chat, caller, params }) => exportUser(chat, store, caller.app, params.client_id))

  mount(holds.placeHold, ({ chat, caller, body }) => placeHold(chat, caller.app, body))

  mount(holds.listHolds, ({ caller, query }) => listHolds(chat, caller.app, query))

  mount(holds.liftHold, ({ chat, caller, params }) => liftHold(chat, caller.app, params.id))
}
