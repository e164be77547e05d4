import { rebuildLostStreams } from '@parley/chat/events/rebuild-stream'
import { relay } from '@parley/chat/events/relay'
import { runWorkers } from '@parley/chat/jobs/run-workers'
import { runService } from '@parley/service/lifecycle'
import { connectServers } from '@parley/wiring/connect-servers'
import { startChat } from '@parley/wiring/start-chat'
import { realtimeSettings } from './settings.ts'
import { prepareNode } from './start-realtime.ts'

await runService({ name: 'realtime', settings: realtimeSettings }, async (context) => {
  const node = prepareNode(context)
  const servers = await connectServers(context, { needsBus: true, ...node.busEvents })
  const chat = startChat(context, servers)
  const background = runWorkers(chat, [relay(chat), rebuildLostStreams(chat)], context.signal)
  context.onStop('background work', () => background)
  return { ports: { http: await node.start(servers, chat) } }
})
