import type { Chat } from '@parley/chat/chat'
import { liftHold, listHolds, placeHold } from '@parley/chat/holds/holds'
import * as holds from '@parley/contracts/operations/data/holds'
import type { Mount } from '../mount.ts'

export function mountData(mount: Mount, chat: Chat): void {
  mount(holds.placeHold, ({ chat, caller, body }) => placeHold(chat, caller.app, body))

  mount(holds.listHolds, ({ caller, query }) => listHolds(chat, caller.app, query))

  mount(holds.liftHold, ({ chat, caller, params }) => liftHold(chat, caller.app, params.id))
}
