import { closeBus, connectBus, pingBus } from '@parley/bus/connect'
import { createControl } from '@parley/bus/control'
import { ensureStream } from '@parley/bus/stream'
import { createChat } from '@parley/chat/chat'
import { connectDb, pingDb } from '@parley/db/connect'
import { closePresence, connectPresence, pingPresence } from '@parley/presence/connect'
import { runService } from '@parley/service/lifecycle'
import { pushSettings } from './settings.ts'
import { startPush } from './start-push.ts'

await runService({ name: 'push', settings: pushSettings }, async (context) => {
  const { settings, log, metrics, tracing, checks, onStop, signal } = context
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
  const chat = createChat({ db, bus, control, log, tracing })
  onStop('outbox', () => chat.outbox.idle())
  onStop('search index', () => chat.searchIndex.stop())

  const push = await startPush({ settings, chat, bus, presence, log, metrics, tracing }, signal)
  onStop('push', () => push.ended())
  return {}
})
