import { clock } from '@parley/async/clock'
import { type Commands, handleCommands } from '@parley/bus/control/handle-commands'
import { watchForGaps } from '@parley/bus/control/numbered-announcements'
import type { Chat } from '@parley/chat/chat'
import type { Context } from '@parley/service/lifecycle'
import type { SettingsOf } from '@parley/service/settings'
import type { Servers } from '@parley/wiring/connect-servers'
import { createMissedMessages } from './missed-messages.ts'
import type { RealtimeNode } from './node.ts'
import type { realtimeSettings } from './settings.ts'

/** As in the gateways: a browser sends all cookies of the domain, and proxies add headers. */
const maxHeaderBytes = 32 * 1024

export function prepareNode(context: Context<SettingsOf<typeof realtimeSettings>>) {
  const { settings, log, metrics, tracing, onStop, signal } = context
  let node: RealtimeNode | undefined
  let connected: Servers | undefined
  const missed = createMissedMessages({
    ...{ log, signal },
    isConnected: () => connected?.bus.connected ?? false,
    node: () => node,
  })
  return {
    /** For connectServers: the node must learn when it was cut off from the bus. */
    busEvents: { onDisconnect: missed.busIsAway, onReconnect: missed.busIsBack },
    /** Starts the node. Returns the port of its sockets. */
    async start(servers: Servers, chat: Chat) {
      connected = servers
      const { bus, presence, figures } = servers
      // uWebSockets.js reads this when it is loaded; its default is 4 KiB.
      process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(maxHeaderBytes)
      const { startNode } = await import('./node.ts')
      let nodeCommands: Commands | undefined
      const announce = async () => nodeCommands?.announce()
      const own = { settings, chat, log, metrics, tracing }
      const started = await startNode({ ...own, bus, presence, figures, announce, isBehind: missed.isBehind })
      node = started
      const gaps = watchForGaps(bus, missed.gap)
      onStop('gaps', () => gaps.stop())
      // Senders do not wait that long for a node: users have joined rooms to which it had not subscribed.
      chat.control.onStall((forMS) => missed.gap(clock.now() - forMS))
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
      return started.port
    },
  }
}
