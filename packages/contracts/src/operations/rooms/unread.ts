import { z } from 'zod'
import { roomId, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'

export const getBadge = operation('getBadge', 'GET /me/badge', {
  inInterface: true,
  tag: 'Unread counts',
  summary: "Get the total unread count across the caller's rooms",
  access: 'client',
  result: z.object({ badge: z.number().int() }),
  example: { result: { badge: 3 } },
})

export const getBadgesByRoomTags = operation('getBadgesByRoomTags', 'POST /badges/byRoomTags', {
  inInterface: true,
  tag: 'Unread counts',
  summary: 'Get unread counts by room tag',
  description: 'Tags are matched exactly. totalBadge counts a room once, even if it has several of the tags.',
  access: 'client',
  body: z.strictObject({ tags: z.array(z.string()).max(1_000).optional().describe('Default: all tags') }),
  invalid: { body: 'INVALID_TAGS' },
  result: z.object({
    totalBadge: z.number().int(),
    // Not a record: zod would leave out a tag `__proto__`.
    data: z.any().meta({ type: 'object', additionalProperties: { type: 'integer' } }),
  }),
  example: { body: { tags: ['work', 'home'] }, result: { totalBadge: 3, data: { work: 3, home: 0 } } },
})

/** Maximum number of messages that one call of explainBadge counts, over all rooms. */
export const maxCountedMessages = 200_000

const count = z.number().int()

export const explainBadge = operation('explainBadge', 'GET /admin/clients/:client_id/badge', {
  tag: 'Unread counts',
  summary: "Explain a user's badge, room by room",
  description: `Highest unread count first: unread = seq − readSeq − own − deleted − hidden. With \`verify=true\`, unread messages are also counted from the messages themselves, and \`agrees\` tells whether both match. One call counts at most ${maxCountedMessages.toLocaleString('en')} messages after the read markers; rooms beyond that have no counted fields.`,
  access: 'admin',
  scope: 'users:read',
  params: z.object({ client_id: userId }),
  query: z.object({
    verify: z.enum(['true', 'false']).default('false').describe('Also count the messages themselves'),
    skip: z.coerce.number().int().min(0).default(0).describe('Rooms to skip'),
    limit: z.coerce.number().int().min(1).max(500).default(50).describe('Maximum number of rooms'),
  }),
  result: z.object({
    client: userId,
    badge: count.describe('Total unread count, as in GET /me/badge'),
    totalCount: count.describe('Number of rooms of the user'),
    data: z.array(
      z.object({
        room: roomId,
        seq: count.describe('`seq` of the last message in the room'),
        readSeq: count.describe('`seq` of the last message that counts as read'),
        uncounted: count.describe('Stored number of messages after the marker that do not count as unread'),
        own: count.optional().describe('Of these, sent by the user'),
        deleted: count.optional().describe('Of these, deleted for everyone or recalled'),
        hidden: count.optional().describe('Of these, deleted by the user for themselves'),
        unread: count,
        countedUnread: count.optional().describe('With verify: unread, counted from the messages'),
        agrees: z.boolean().optional().describe('With verify: whether unread and countedUnread match'),
      }),
    ),
    agrees: z.boolean().optional().describe('With verify: whether all counted rooms of this page agree'),
    notVerified: count.optional().describe('With verify: rooms of this page with too many messages to count'),
  }),
  errors: ['CLIENT_NOT_FOUND', 'INVALID_QUERY'],
  example: {
    query: { verify: 'true', limit: 50 },
    result: {
      client: 'bob',
      badge: 3,
      totalCount: 1,
      data: [
        {
          room: 'demo-room',
          seq: 12,
          readSeq: 5,
          uncounted: 4,
          own: 2,
          deleted: 1,
          hidden: 1,
          unread: 3,
          countedUnread: 3,
          agrees: true,
        },
      ],
      agrees: true,
      notVerified: 0,
    },
  },
})
