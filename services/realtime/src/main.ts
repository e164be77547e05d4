import { setTimeout as pause } from 'node:timers/promises'
import { unnoticedCutMS } from '@parley/bus/connect'
import { type Commands, handleCommands } from '@parley/bus/control/handle-commands'
import { rebuildLostStream } from '@parley/chat/events/rebuild-stream'
import { relayUnpublished } from '@parley/chat/events/relay-unpublished'
import { runService } from '@parley/service/lifecycle'
import { connectServers } from '@parley/wiring/connect-servers'
import { startChat } from '@parley/wiring/start-chat'
import type { RealtimeNode } from './node.ts'
import { realtimeSettings } from './settings.ts'

const resyncAgainMS = 1_000
/** As the gateways: a browser sends all cookies of the domain, and proxies add headers of their own. */
const maxHeaderBytes = 32 * 1024

await runService({ name: 'realtime', settings: realtimeSettings }, async (context) => {
  const { settings, log, metrics, tracing, onStop, signal } = context
  let awaySinceMS: number | undefined
  let makingUp = 0
  let node: RealtimeNode | undefined
  const servers = await connectServers(context, {
    onDisconnect: () => {
      awaySinceMS ??= Date.now() - unnoticedCutMS
    },
    onReconnect: () => {
      const since = awaySinceMS ?? Date.now() - unnoticedCutMS
      awaySinceMS = undefined
      if (!node) return
      makingUp++
      void makeUp(node, since).finally(() => makingUp--)
    },
  })

  /** Retries until it succeeds: a node that has missed a removal or a revoked token must not go on like that. */
  async function makeUp(of: RealtimeNode, sinceMS: number): Promise<void> {
    while (!signal.aborted) {
      try {
        const events = await of.resync(sinceMS)
        return log.info({ events }, 'missed events delivered')
      } catch (error) {
        log.error({ err: error }, 'missed events not delivered; trying again')
      }
      if (!servers.bus.connected) {
        // The next reconnect begins from the same time.
        awaySinceMS = Math.min(awaySinceMS ?? sinceMS, sinceMS)
        return
      }
      await pause(resyncAgainMS, undefined, { signal }).catch((error: Error) => {
        if (!signal.aborted) throw error
      })
    }
  }
  const isBehind = () => awaySinceMS !== undefined || makingUp > 0
  const { bus, presence } = servers
  const chat = startChat(context, servers)
  const relay = relayUnpublished(chat, signal)
  onStop('relay', () => relay)
  const rebuilding = rebuildLostStream(chat, signal)
  onStop('stream rebuilding', () => rebuilding)

  // uWebSockets.js reads this when it is loaded, and without it takes 4 KiB.
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(maxHeaderBytes)
  const { startNode } = await import('./node.ts')
  let orders: Commands | undefined
  const announce = async () => orders?.announce()
  const started = await startNode({ settings, chat, bus, presence, log, metrics, tracing, announce, isBehind })
  node = started
  const commands = handleCommands(
    bus,
    settings.nodeId,
    (app, order) => started.carryOut(app, order),
    (error) => log.error({ err: error }, 'order not carried out'),
    () => started.registers(),
  )
  orders = commands
  onStop('orders', () => commands.unsubscribe())
  // Stopped first, while orders are still carried out: a member who leaves a room meanwhile gets nothing more of it.
  onStop('sockets', () => started.stop())
  return { ports: { http: started.port } }
})
