import type { RoomEvent } from '../socket/server-events.ts'
import { partitionsOfStreams } from './partitions.ts'
import {
  allMarksSubject,
  allMembersChangesSubject,
  allPartitionsSubjects,
  allPushToClientsSubject,
  everyRoomSubject,
  everyUserSubject,
  partitionSubjects,
} from './subjects.ts'

/** Name of the JetStream event stream with this index, from 0. */
export function streamName(index: number): string {
  return index === 0 ? 'PARLEY_EVENTS' : `PARLEY_EVENTS_${index}`
}

export function streamNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => streamName(index))
}

export function streamSubjects(index: number, count: number): string[] {
  const partitions = partitionsOfStreams(count)[index] ?? []
  const events = count === 1 ? allPartitionsSubjects : partitions.flatMap(partitionSubjects)
  return [...events, allMarksSubject(streamName(index))]
}

/** The room events that a room's webhook receives, besides those of threads. */
const webhookEvents = ['chat message', 'messageUpdated', 'messageDeleted', 'room'] as const satisfies RoomEvent[]

/**
 * The durable consumers of every stream, with the subjects that each receives. Never change the subjects: during a rolling
 * update, both releases use the consumer. Add a consumer instead.
 */
export const durableConsumers = {
  push: { name: 'push', subjects: [everyRoomSubject('chat message')] },
  pushThreads: { name: 'push-threads', subjects: [everyRoomSubject('thread message')] },
  pushToClients: { name: 'push-to-clients', subjects: [allPushToClientsSubject] },
  pushReads: { name: 'push-reads', subjects: [everyRoomSubject('lastRead')] },
  pushThreadReads: { name: 'push-thread-reads', subjects: [everyUserSubject('threadLastRead')] },
  webhooks: {
    name: 'webhooks',
    subjects: [...webhookEvents.map(everyRoomSubject), allMembersChangesSubject],
  },
  webhooksOfThreads: {
    name: 'webhooks-threads',
    subjects: [everyRoomSubject('thread message')],
  },
  stats: { name: 'stats', subjects: [everyRoomSubject('chat message')] },
} as const
export type DurableConsumer = keyof typeof durableConsumers
