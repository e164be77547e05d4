import { z } from 'zod'
import { operation } from '../../operation.ts'
import { exampleFeedEvent, feedEvent } from '../../resources/feed-event.ts'

/** Idle connections are closed after a minute. */
const longestWaitSeconds = 50

/** Long enough for a cursor over the maximum of streams. */
const cursor = z.string().max(256)

export const listEvents = operation('listEvents', 'GET /admin/events', {
  tag: 'Events',
  summary: "List the app's events in order",
  description:
    'Without `after`, the response has no data and a cursor for events from now on. With `Accept: text/event-stream`, events arrive as Server-Sent Events, whose IDs are cursors, until the caller disconnects.',
  access: 'admin',
  scope: 'export:read',
  conversations: true,
  headers: z.looseObject({
    'last-event-id': cursor.optional().describe('With text/event-stream: overrides `after`'),
  }),
  query: z.object({
    after: cursor.optional().describe('Cursor of an event or of an earlier response'),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(500)
      .default(100)
      .describe('Maximum number of events, up to 1 MiB in total'),
    types: z.string().max(1_024).optional().describe('Comma-separated names; only these events'),
    wait: z.coerce
      .number()
      .int()
      .min(0)
      .max(longestWaitSeconds)
      .default(0)
      .describe('Seconds to wait if there is no event (long polling)'),
  }),
  result: z.object({
    data: z.array(feedEvent),
    cursor: z.string().describe('`after` for the next call'),
  }),
  eventStream: true,
  errors: ['INVALID_QUERY', 'CURSOR_GONE'],
  example: {
    query: { after: '2r-mv3k1e7z', limit: 100, types: 'chat message,lastRead', wait: 20 },
    result: { data: [exampleFeedEvent], cursor: exampleFeedEvent.cursor },
  },
})
