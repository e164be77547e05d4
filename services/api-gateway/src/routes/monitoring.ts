import { readOverview } from '@parley/chat/admin/read-overview'
import type { Chat } from '@parley/chat/chat'
import { connectionCount, type Presence, statsReport } from '@parley/chat/integrations/stats-report'
import * as overview from '@parley/contracts/operations/admin/overview'
import * as operations from '@parley/contracts/operations/integrations/statistics'
import type { Mount } from '../mount.ts'

export function mountMonitoring(mount: Mount, chat: Chat, presence: Presence): void {
  mount(operations.getStats, ({ caller, headers, query }) =>
    statsReport(chat, presence, { app: caller.app, apiKey: headers['im-api-key'] }, query),
  )

  mount(overview.readOverview, ({ caller }) => readOverview(chat, presence, caller))
  mount(operations.getConnectionCount, ({ caller }) => connectionCount(chat, presence, caller.app))
}
