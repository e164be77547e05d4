import { runService } from '@parley/service/lifecycle'
import { connectServers } from '@parley/wiring/connect-servers'
import { statsSettings } from './settings.ts'
import { startStats } from './start-stats.ts'

await runService({ name: 'stats', settings: statsSettings }, async (context) => {
  await startStats(context, await connectServers(context))
  return {}
})
