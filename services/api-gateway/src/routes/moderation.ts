import type { Chat } from '@parley/chat/chat'
import type { Presence } from '@parley/chat/integrations/stats-report'
import { banMember, listBans, unbanMember } from '@parley/chat/moderation/ban-member'
import { banUser, unbanUser } from '@parley/chat/moderation/ban-user'
import { blockUser, listBlocks, unblockUser } from '@parley/chat/moderation/block-user'
import { readModeration, tryModeration } from '@parley/chat/moderation/read-moderation'
import { decideReport, listReports, reportMessage } from '@parley/chat/moderation/reports'
import * as appBans from '@parley/contracts/operations/moderation/app-bans'
import * as bans from '@parley/contracts/operations/moderation/bans'
import * as blocks from '@parley/contracts/operations/moderation/blocks'
import * as censorship from '@parley/contracts/operations/moderation/censorship'
import * as reports from '@parley/contracts/operations/moderation/reports'
import type { Mount } from '../mount.ts'

export function mountModeration(mount: Mount, chat: Chat, presence: Presence): void {
  mount(appBans.banUser, ({ chat, caller, params, body }) => banUser(chat, caller.app, params.client_id, body.untilMS))
  mount(appBans.unbanUser, ({ chat, caller, params }) => unbanUser(chat, caller.app, params.client_id))

  mount(bans.banMember, ({ chat, caller, params, body }) =>
    banMember(chat, caller, { room: params.roomID, blockee: params.blockee, untilMS: body.untilMS }),
  )

  mount(bans.unbanMember, ({ chat, caller, params }) => unbanMember(chat, caller, params.roomID, params.blockee))
  mount(bans.listBans, ({ caller, params, query }) => listBans(chat, caller, params.roomID, query))

  mount(censorship.tryCensorship, async ({ caller, query }) => ({
    text: await chat.censor.maskText(caller.app, query.text),
  }))

  mount(censorship.readModeration, ({ caller }) => readModeration(chat, presence, caller.app))
  mount(censorship.tryModeration, ({ caller, body }) => tryModeration(chat, caller.app, body))
  mount(blocks.blockUser, ({ caller, params }) => blockUser(chat, caller, params.blockee))
  mount(blocks.unblockUser, ({ caller, params }) => unblockUser(chat, caller, params.blockee))
  mount(blocks.listBlocks, ({ caller, query }) => listBlocks(chat, caller, query))
  mount(reports.reportMessage, ({ caller, params, body }) => reportMessage(chat, caller, params.id, body.reason))
  mount(reports.listReports, ({ caller, query }) => listReports(chat, caller.app, query))
  mount(reports.decideReport, ({ chat, caller, params, body }) => decideReport(chat, caller.app, params.id, body))
}
