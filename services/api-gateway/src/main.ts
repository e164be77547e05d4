import { runService } from '@parley/service/lifecycle'
import { connectServers } from '@parley/wiring/connect-servers'
import { startChat } from '@parley/wiring/start-chat'
import { gatewaySettings } from './settings.ts'
import { chatSettingsOf, startGateway } from './start-gateway.ts'

await runService({ name: 'api-gateway', settings: gatewaySettings }, async (context) => {
  const servers = await connectServers(context)
  const chat = startChat(context, servers, chatSettingsOf(context.settings))
  return { ports: { http: await startGateway(context, servers, chat) } }
})
