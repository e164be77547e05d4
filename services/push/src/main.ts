import { runService } from '@parley/service/lifecycle'
import { connectServers } from '@parley/wiring/connect-servers'
import { startChat } from '@parley/wiring/start-chat'
import { pushSettings } from './settings.ts'
import { startPush } from './start-push.ts'

await runService({ name: 'push', settings: pushSettings }, async (context) => {
  const { settings, log, metrics, tracing, onStop, signal } = context
  const servers = await connectServers(context)
  const chat = startChat(context, servers)
  const push = await startPush({ settings, chat, ...servers, log, metrics, tracing }, signal)
  onStop('push', push.ended)
  return {}
})
