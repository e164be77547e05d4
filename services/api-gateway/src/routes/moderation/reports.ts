import type { Chat } from '@parley/chat/chat'
import { decideReport } from '@parley/chat/moderation/decide-report'
import { listReports } from '@parley/chat/moderation/list-reports'
import { reportMessage } from '@parley/chat/moderation/report-message'
import * as operations from '@parley/contracts/operations/moderation/reports'
import type { Mount } from '../../mount.ts'

export function mountReports(mount: Mount, chat: Chat): void {
  mount(operations.reportMessage, ({ caller, params, body }) => reportMessage(chat, caller, params.id, body.reason))

  mount(operations.listReports, ({ caller, query }) => listReports(chat, caller.app, query))

  mount(operations.decideReport, ({ caller, params, body }) => decideReport(chat, caller.app, params.id, body))
}
