import { type Commands, handleCommands } from '@parley/bus/control/handle-commands'
import { watchForGaps } from '@parley/bus/control/numbered-announcements'
import { rebuildLostStreams } from '@parley/chat/events/rebuild-stream'
import { relay } from '@parley/chat/events/relay'
import { keepUp } from '@parley/chat/upkeep/keep-up'
import { runService } from '@parley/service/lifecycle'
import { connectServers } from '@parley/wiring/connect-servers'
import { startChat } from '@parley/wiring/start-chat'
import { createMissedMessages } from './missed-messages.ts'
import type { RealtimeNode } from './node.ts'
import { realtimeSettings } from './settings.ts'

/** As in the gateways: a browser sends all cookies of the domain, and proxies add headers. */
const maxHeaderBytes = 32 * 1024

await runService({ name: 'realtime', settings: realtimeSettings }, async (context) => {
  const { settings, log, metrics, tracing, onStop, signal } = context
  let node: RealtimeNode | undefined
  const missed = createMissedMessages({
    ...{ log, signal },
    isConnected: () => servers.bus.connected,
    node: () => node,
  })
  const servers = await connectServers(context, {
    needsBus: true,
    onDisconnect: missed.busIsAway,
    onReconnect: missed.busIsBack,
  })
  const { bus, presence, figures } = servers
  const chat = startChat(context, servers)
  const upkeep = keepUp(chat, [relay(chat), rebuildLostStreams(chat)], signal)
  onStop('upkeep', () => upkeep)

  // uWebSockets.js reads this when it is loaded; its default is 4 KiB.
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(maxHeaderBytes)
  const { startNode } = await import('./node.ts')
  let nodeCommands: Commands | undefined
  const announce = async () => nodeCommands?.announce()
  const started = await startNode({
    settings,
    chat,
    bus,
    presence,
    figures,
    log,
    metrics,
    tracing,
    announce,
    ...missed,
  })
  node = started
  const gaps = watchForGaps(bus, missed.gap)
  onStop('gaps', () => gaps.stop())
  const commands = handleCommands(
    bus,
    settings.nodeId,
    (app, command) => started.carryOut(app, command),
    (error) => log.error({ err: error }, 'node command failed'),
    () => started.registers(),
  )
  nodeCommands = commands
  onStop('node commands', () => commands.unsubscribe())
  // Stopped first, while commands are still applied: a leaving member gets nothing more of the room.
  onStop('sockets', () => started.stop())
  return { ports: { http: started.port } }
})
