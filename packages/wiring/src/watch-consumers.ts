import type { ConsumeOptions, MessageHandler } from '@parley/bus/stream/consume'
import type { Logger } from '@parley/service/log'
import type { Metrics } from '@parley/service/metrics'

/** Logs and counts the messages of one durable consumer. */
interface WatchedConsumer {
  /** Wraps a handler to count handled messages. */
  handled: <T>(handler: MessageHandler<T>) => MessageHandler<T>
  onFailure: ConsumeOptions['onFailure']
}
type WatchConsumer = (consumer: string) => WatchedConsumer

/** Logs and counts outcomes of messages of durable consumers, in the same way for every service. */
export function watchConsumers(log: Logger, metrics: Metrics): WatchConsumer {
  const consumed = metrics.counter('parley_events_consumed_total', 'Messages of the stream handled', ['consumer'])
  const dropped = metrics.counter('parley_events_dropped_total', 'Messages of the stream that cannot be read', [
    'consumer',
  ])
  return (consumer) => {
    // Start at 0: an alert would see no increase in a series that begins with 1.
    dropped.inc({ consumer }, 0)
    return {
      handled: ({ read, handle }) => ({
        read,
        async handle(message) {
          await handle(message)
          consumed.inc({ consumer })
        },
      }),
      onFailure(error, { id, subject, attempt }, isDropped) {
        if (isDropped) dropped.inc({ consumer })
        log.error(
          { err: error, consumer, id, subject, attempt },
          isDropped ? 'message dropped: it cannot be read' : 'message not handled; it will be redelivered',
        )
      },
    }
  }
}
