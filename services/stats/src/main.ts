import { closeBus, connectBus, pingBus } from '@parley/bus/connect'
import { consumeEvents } from '@parley/bus/consume'
import { consumerState, ensureConsumer, ensureStream } from '@parley/bus/stream'
import { connectDb, pingDb } from '@parley/db/connect'
import { closePresence, connectPresence, pingPresence } from '@parley/presence/connect'
import { runService } from '@parley/service/lifecycle'
import { followConnections } from './connections.ts'
import { createMessageCounter } from './count-messages.ts'
import { statsSettings } from './settings.ts'

/** Enough that what comes in half a second is written together. */
const concurrency = 2_000

await runService(
  { name: 'stats', settings: statsSettings },
  async ({ settings, log, metrics, checks, onStop, signal }) => {
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
    await ensureConsumer(bus, 'stats')

    const presence = await connectPresence(settings.redisUrl, (error) => log.warn({ err: error }, 'Redis is away'))
    onStop('redis', () => closePresence(presence))
    checks['redis'] = () => pingPresence(presence)

    const consumed = metrics.counter('parley_events_consumed_total', 'Messages of the stream handled', ['consumer'])
    metrics.gaugesOf('parley_consumer_lag_messages', 'Messages of the stream not taken yet', 'consumer', async () => ({
      stats: (await consumerState(bus, 'stats')).waiting,
    }))
    const count = createMessageCounter(db)
    const consuming = consumeEvents(
      bus,
      'stats',
      async (event) => {
        await count(event)
        consumed.inc({ consumer: 'stats' })
      },
      {
        concurrency,
        onFailure: (error, { subject, attempt }) => log.error({ err: error, subject, attempt }, 'event not counted'),
      },
      signal,
    )
    onStop('consumer', () => consuming)
    const following = followConnections(db, presence, log, signal)
    onStop('connections', () => following)
    return {}
  },
)
