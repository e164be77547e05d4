import type { RoomEvent } from '../socket/server-events.ts'
import { allMarksSubject, allMembersChangesSubject, allPushToClientsSubject, everyRoomSubject } from './subjects.ts'

/** The JetStream streams and durable consumers, by name. */
export const eventStream = {
  name: 'PARLEY_EVENTS',
  subjects: ['parley.event.>', 'parley.push.>', 'parley.feed.>', allMarksSubject],
} as const

/** The room events that a room's webhook receives, besides those of threads. */
const webhookEvents = ['chat message', 'messageUpdated', 'messageDeleted', 'room'] as const satisfies RoomEvent[]

/**
 * `subjects`: the part of the stream that the consumer receives. They never change: during a rolling update, services
 * of both releases must accept the consumer. A new need gets a new consumer.
 */
export const durableConsumers = {
  push: { name: 'push', stream: eventStream.name, subjects: [everyRoomSubject('chat message')] },
  pushThreads: { name: 'push-threads', stream: eventStream.name, subjects: [everyRoomSubject('thread message')] },
  pushToClients: { name: 'push-to-clients', stream: eventStream.name, subjects: [allPushToClientsSubject] },
  pushReads: { name: 'push-reads', stream: eventStream.name, subjects: [everyRoomSubject('lastRead')] },
  webhooks: {
    name: 'webhooks',
    stream: eventStream.name,
    subjects: [...webhookEvents.map(everyRoomSubject), allMembersChangesSubject],
  },
  webhooksOfThreads: {
    name: 'webhooks-threads',
    stream: eventStream.name,
    subjects: [everyRoomSubject('thread message')],
  },
  stats: { name: 'stats', stream: eventStream.name, subjects: [everyRoomSubject('chat message')] },
} as const
export type DurableConsumer = keyof typeof durableConsumers
