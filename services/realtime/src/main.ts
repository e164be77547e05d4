import { rebuildLostStreams } from '@parley/chat/events/rebuild-stream'
import { relay } from '@parley/chat/events/relay'
import { keepUp } from '@parley/chat/upkeep/keep-up'
import { runService } from '@parley/service/lifecycle'
import { connectServers } from '@parley/wiring/connect-servers'
import { startChat } from '@parley/wiring/start-chat'
import { realtimeSettings } from './settings.ts'
import { prepareNode } from './start-realtime.ts'

await runService({ name: 'realtime', settings: realtimeSettings }, async (context) => {
  const node = prepareNode(context)
  const servers = await connectServers(context, { needsBus: true, ...node.busEvents })
  const chat = startChat(context, servers)
  const upkeep = keepUp(chat, [relay(chat), rebuildLostStreams(chat)], context.signal)
  context.onStop('upkeep', () => upkeep)
  return { ports: { http: await node.start(servers, chat) } }
})
