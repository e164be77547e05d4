import { closeBus, connectBus, pingBus } from '@parley/bus/connect'
import { consumeEvents } from '@parley/bus/consume'
import { ensureConsumer, ensureStream } from '@parley/bus/stream'
import { runService } from '@parley/service/lifecycle'
import { pushSettings } from './settings.ts'

await runService(
  { name: 'push', settings: pushSettings },
  async ({ settings, log, metrics, checks, onStop, signal }) => {
    const bus = await connectBus(settings.natsUrl, settings.nodeId, {
      onDisconnect: () => log.warn('NATS is away'),
      onReconnect: () => log.info('NATS is back'),
      onError: (error) => log.error({ err: error }, 'NATS reported an error'),
    })
    onStop('nats', () => closeBus(bus))
    checks['nats'] = () => pingBus(bus)
    await ensureStream(bus)
    await ensureConsumer(bus, 'push')

    const consumed = metrics.counter('parley_events_consumed_total', 'Events taken from the stream', ['event'])
    const consuming = consumeEvents(
      bus,
      'push',
      async ({ event }) => consumed.inc({ event }),
      {
        concurrency: 100,
        onFailure: (error, { subject, attempt }) => log.error({ err: error, subject, attempt }, 'event not handled'),
      },
      signal,
    )
    onStop('consumer', () => consuming)
    return {}
  },
)
