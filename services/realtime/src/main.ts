import { closeBus, connectBus, pingBus } from '@parley/bus/connect'
import { createControl, obeyControl } from '@parley/bus/control'
import { ensureStream } from '@parley/bus/stream'
import { createChat } from '@parley/chat/chat'
import { relayUnpublished } from '@parley/chat/relay-unpublished'
import { connectDb, pingDb } from '@parley/db/connect'
import { closePresence, connectPresence, pingPresence } from '@parley/presence/connect'
import { runService } from '@parley/service/lifecycle'
import { startNode } from './node.ts'
import { realtimeSettings } from './settings.ts'

await runService({ name: 'realtime', settings: realtimeSettings }, async (context) => {
  const { settings, log, metrics, checks, onStop, signal } = context
  const db = await connectDb(settings.mongoUrl, { appName: settings.nodeId })
  onStop('mongodb', () => db.client.close())
  checks['mongodb'] = () => pingDb(db)

  const bus = await connectBus(settings.natsUrl, settings.nodeId, {
    onDisconnect: () => log.warn('NATS is away'),
    onReconnect: () => log.info('NATS is back'),
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
  const chat = createChat({ db, bus, control, log })
  onStop('outbox', () => chat.outbox.idle())
  onStop('search index', () => chat.searchIndex.stop())
  const relay = relayUnpublished(chat, signal)
  onStop('relay', () => relay)

  const node = await startNode({ settings, chat, bus, presence, log, metrics })
  onStop('sockets', () => node.stop())
  const orders = obeyControl(
    bus,
    settings.nodeId,
    (app, order) => node.obey(app, order),
    (error) => log.error({ err: error }, 'order not obeyed'),
  )
  onStop('orders', () => orders.unsubscribe())
  return { ports: { http: node.port } }
})
