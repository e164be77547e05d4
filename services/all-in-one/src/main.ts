import { gatewaySettings } from '@parley/api-gateway/settings'
import { chatSettingsOf, startGateway } from '@parley/api-gateway/start-gateway'
import { pushSettings } from '@parley/push/settings'
import { startPush } from '@parley/push/start-push'
import { realtimeSettings } from '@parley/realtime/settings'
import { prepareNode } from '@parley/realtime/start-realtime'
import { runService } from '@parley/service/lifecycle'
import { sharedSettings } from '@parley/service/shared-settings'
import { statsSettings } from '@parley/stats/settings'
import { startStats } from '@parley/stats/start-stats'
import { connectServers } from '@parley/wiring/connect-servers'
import { startChat } from '@parley/wiring/start-chat'

/** The settings of all services, by service. */
const allSettings = {
  ...sharedSettings,
  gateway: gatewaySettings,
  realtime: realtimeSettings,
  push: pushSettings,
  stats: statsSettings,
}

// All services in one process, for small installations: one connection to each server, and one Chat.
await runService({ name: 'all-in-one', settings: allSettings }, async (context) => {
  const { gateway, realtime, push, stats, nodeId } = context.settings
  const part = <S>(service: string, settings: S) => ({
    ...context,
    service,
    // The default is another random name for each service.
    settings: { ...settings, nodeId },
    metrics: context.metrics.of(service),
  })
  const node = prepareNode(part('realtime', realtime))
  const servers = await connectServers(context, { needsBus: true, ...node.busEvents })
  const chat = startChat(context, servers, chatSettingsOf(gateway))
  const { ended } = await startPush({ ...part('push', push), ...servers, chat }, context.signal)
  context.onStop('push', ended)
  const sockets = await node.start(servers, chat)
  const http = await startGateway(part('api-gateway', gateway), servers, chat)
  // Stopped first: its canary calls the others.
  await startStats(part('stats', stats), servers)
  return { ports: { http, sockets } }
})
