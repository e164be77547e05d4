/** The JetStream streams and durable consumers, by name. */
export const eventStream = {
  name: 'PARLEY_EVENTS',
  subjects: ['parley.event.>'],
} as const

export const durableConsumers = {
  push: { name: 'push', stream: eventStream.name },
  stats: { name: 'stats', stream: eventStream.name },
} as const
export type DurableConsumer = keyof typeof durableConsumers
