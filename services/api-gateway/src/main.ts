import { closeBus, connectBus, pingBus } from '@parley/bus/connect'
import { createControl } from '@parley/bus/control'
import { ensureStream } from '@parley/bus/stream'
import { createChat } from '@parley/chat/chat'
import { eraseMessages } from '@parley/chat/erase-messages'
import { outboxAge } from '@parley/chat/outbox-age'
import { relayUnpublished } from '@parley/chat/relay-unpublished'
import { connectDb, pingDb } from '@parley/db/connect'
import { closePresence, connectPresence, pingPresence } from '@parley/presence/connect'
import { createRequestCounts } from '@parley/presence/request-counts'
import { runService } from '@parley/service/lifecycle'
import { createGateway } from './gateway.ts'
import { gatewaySettings } from './settings.ts'

await runService(
  { name: 'api-gateway', settings: gatewaySettings },
  async ({ settings, log, metrics, tracing, checks, onStop, signal }) => {
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
    const control = createControl(bus)
    onStop('control', () => control.stop())

    const chat = createChat({ db, bus, control, log, tracing, settings: { tokenDays: settings.tokenDays } })
    onStop('outbox', () => chat.outbox.idle())
    onStop('search index', () => chat.searchIndex.stop())
    const relay = relayUnpublished(chat, signal)
    onStop('relay', () => relay)
    const eraser = eraseMessages(chat, signal)
    onStop('eraser', () => eraser)

    const presence = await connectPresence(settings.redisUrl, (error) => log.warn({ err: error }, 'Redis is away'))
    onStop('redis', () => closePresence(presence))
    checks['redis'] = () => pingPresence(presence)
    metrics.gaugeOf('parley_outbox_age_seconds', 'Age of the oldest event that is not published yet', () =>
      outboxAge(chat),
    )
    const counts = createRequestCounts(presence, (error) =>
      log.warn({ err: error }, 'requests are counted by each gateway for itself'),
    )
    onStop('request counts', () => counts.stop())
    const rateLimits = { counts, perApiKey: settings.ratePerApiKey, perToken: settings.ratePerToken }

    const gateway = await createGateway({ chat, log, metrics, presence, tracing, rateLimits })
    onStop('gateway', () => gateway.close())
    await gateway.listen({ host: settings.host, port: settings.port })
    const address = gateway.server.address()
    return { ports: { http: typeof address === 'object' && address ? address.port : settings.port } }
  },
)
