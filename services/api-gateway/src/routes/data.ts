import type { Chat } from '@parley/chat/chat'
import { exportMe, exportUser, myExport } from '@parley/chat/export/export-user'
import { liftHold, listHolds, placeHold } from '@parley/chat/retention/holds'
import * as users from '@parley/contracts/operations/data/export'
import * as holds from '@parley/contracts/operations/data/holds'
import type { Mount } from '../mount.ts'
import type { FilesHere } from './files.ts'

export function mountData(mount: Mount, chat: Chat, { store, publicUrl }: FilesHere): void {
  mount(users.exportUser, ({ chat, caller, params }) => exportUser(chat, store, caller.app, params.client_id))
  mount(users.exportMe, ({ caller }) => exportMe(chat, store, caller))
  mount(users.getMyExport, ({ caller, origin }) => myExport(chat, caller, { store, base: publicUrl ?? origin() }))
  mount(holds.placeHold, ({ chat, caller, body }) => placeHold(chat, caller.app, body))
  mount(holds.listHolds, ({ caller, query }) => listHolds(chat, caller.app, query))
  mount(holds.liftHold, ({ chat, caller, params }) => liftHold(chat, caller.app, params.id))
}
