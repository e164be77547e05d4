import { z } from 'zod'
import { operation } from '../../operation.ts'
import { exampleFeedEvent, feedEvent } from '../../resources/feed-event.ts'

/** A connection on which nothing moves is closed after a minute. */
const longestWaitSeconds = 50

/** Of as many streams as there may be. */
const cursor = z.string().max(256)

export const listEvents = operation({
  id: 'listEvents',
  method: 'GET',
  path: '/admin/events',
  tag: 'Events',
  summary: "The app's events, all in one order",
  description:
    'Without `after` it begins now: no data, and the cursor to go on from. With `Accept: text/event-stream` the events come as Server-Sent Events, whose IDs are cursors, until the caller closes.',
  access: 'admin',
  scope: 'export:read',
  conversations: true,
  form: 'envelope',
  headers: z.looseObject({
    'last-event-id': cursor.optional().describe('With text/event-stream: goes before `after`'),
  }),
  query: z.object({
    after: cursor.optional().describe('The cursor of an event, or of an earlier response'),
    limit: z.coerce.number().int().min(1).max(500).default(100).describe('Events at most, and 1 MiB of them'),
    types: z.string().max(1_024).optional().describe('Only these events: names, separated by commas'),
    wait: z.coerce
      .number()
      .int()
      .min(0)
      .max(longestWaitSeconds)
      .default(0)
      .describe('Seconds to wait for an event when there is none'),
  }),
  result: z.object({
    data: z.array(feedEvent),
    cursor: z.string().describe('`after` for the next call'),
  }),
  eventStream: true,
  errors: ['INVALID_QUERY', 'CURSOR_GONE'],
  extension: true,
  example: {
    query: { after: '2r-mv3k1e7z', limit: 100, types: 'chat message,lastRead', wait: 20 },
    result: { data: [exampleFeedEvent], cursor: exampleFeedEvent.cursor },
  },
})
