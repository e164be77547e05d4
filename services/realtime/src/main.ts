import { closeBus, connectBus, pingBus } from '@parley/bus/connect'
import { createControl, obeyControl } from '@parley/bus/control'
import { ensureStream } from '@parley/bus/stream'
import { createChat } from '@parley/chat/chat'
import { relayUnpublished } from '@parley/chat/relay-unpublished'
import { connectDb, pingDb } from '@parley/db/connect'
import { closePresence, connectPresence, pingPresence } from '@parley/presence/connect'
import { runService } from '@parley/service/lifecycle'
import { type RealtimeNode, startNode } from './node.ts'
import { realtimeSettings } from './settings.ts'

await runService({ name: 'realtime', settings: realtimeSettings }, async (context) => {
  const { settings, log, metrics, tracing, checks, onStop, signal } = context
  const db = await connectDb(settings.mongoUrl, { appName: settings.nodeId })
  onStop('mongodb', () => db.client.close())
  checks['mongodb'] = () => pingDb(db)

  let awaySinceMS: number | undefined
  let node: RealtimeNode | undefined
  const bus = await connectBus(settings.natsUrl, settings.nodeId, {
    onDisconnect: () => {
      awaySinceMS ??= Date.now()
      log.warn('NATS is away')
    },
    onReconnect: () => {
      const since = awaySinceMS ?? Date.now()
      awaySinceMS = undefined
      log.info('NATS is back')
      node?.resync(since).then(
        (events) => log.info({ events }, 'what passed meanwhile is delivered'),
        (error: unknown) => {
          // Tried again from the same time on with the next reconnect.
          awaySinceMS ??= since
          log.error({ err: error }, 'what passed meanwhile is not delivered')
        },
      )
    },
    onError: (error) => log.error({ err: error }, 'NATS reported an error'),
  })
  onStop('nats', () => closeBus(bus))
  checks['nats'] = () => pingBus(bus)
  await ensureStream(bus)

  const presence = await connectPresence(settings.redisUrl, (error) => log.warn({ err: error }, 'Redis is away'))
  onStop('redis', () => closePresence(presence))
  checks['redis'] = () => pingPresence(presence)

  const control = createControl(bus)
  onStop('control', () => control.stop())
  const chat = createChat({ db, bus, control, log, tracing })
  onStop('outbox', () => chat.outbox.idle())
  onStop('search index', () => chat.searchIndex.stop())
  const relay = relayUnpublished(chat, signal)
  onStop('relay', () => relay)

  const started = await startNode({ settings, chat, bus, presence, log, metrics, tracing })
  node = started
  const orders = obeyControl(
    bus,
    settings.nodeId,
    (app, order) => started.obey(app, order),
    (error) => log.error({ err: error }, 'order not obeyed'),
  )
  onStop('orders', () => orders.unsubscribe())
  // Stopped first, while orders are still obeyed: who leaves a room meanwhile hears nothing more of it.
  onStop('sockets', () => started.stop())
  return { ports: { http: started.port } }
})
