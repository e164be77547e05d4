import type { ConsumeOptions, MessageHandler } from '@parley/bus/stream/consume'
import type { Logger } from '@parley/service/log'
import type { Metrics } from '@parley/service/metrics'

/** Logging and counting of one durable consumer of the stream. */
interface WatchedConsumer {
  /** The handler, which also counts the messages that it handled. */
  handled: <T>(handler: MessageHandler<T>) => MessageHandler<T>
  onFailure: ConsumeOptions['onFailure']
}
export type WatchConsumer = (consumer: string) => WatchedConsumer

/** Logs and counts the outcome of messages of durable consumers: the same in every service. */
export function watchConsumers(log: Logger, metrics: Metrics): WatchConsumer {
  const consumed = metrics.counter('parley_events_consumed_total', 'Messages of the stream handled', ['consumer'])
  const dropped = metrics.counter('parley_events_dropped_total', 'Messages of the stream that cannot be read', [
    'consumer',
  ])
  return (consumer) => {
    // There before the first: an alert sees no increase in a series that begins with 1.
    dropped.inc({ consumer }, 0)
    return {
      handled: ({ read, handle }) => ({
        read,
        async handle(what) {
          await handle(what)
          consumed.inc({ consumer })
        },
      }),
      onFailure(error, { id, subject, attempt }, isDropped) {
        if (isDropped) dropped.inc({ consumer })
        log.error(
          { err: error, consumer, id, subject, attempt },
          isDropped ? 'message dropped: it cannot be read' : 'message not handled; it comes again',
        )
      },
    }
  }
}
