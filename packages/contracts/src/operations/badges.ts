import { z } from 'zod'
import { operation } from '../operation.ts'

export const getBadge = operation({
  id: 'getBadge',
  method: 'GET',
  path: '/me/badge',
  tag: 'Unread counts',
  summary: 'Total unread across the rooms of the caller',
  access: 'client',
  form: 'envelope',
  result: z.object({ badge: z.number().int() }),
  errors: [],
  example: { result: { badge: 3 } },
})

export const getBadgesByRoomTags = operation({
  id: 'getBadgesByRoomTags',
  method: 'POST',
  path: '/badges/byRoomTags',
  tag: 'Unread counts',
  summary: "Unread by the rooms' tags",
  description: 'Tags are matched exactly. totalBadge counts a room once even if it carries several of the tags.',
  access: 'client',
  form: 'envelope',
  body: z.strictObject({ tags: z.array(z.string()).max(1_000).optional().describe('Without any, all tags') }),
  invalid: { body: 'INVALID_TAGS' },
  result: z.object({
    totalBadge: z.number().int(),
    // Not a record: zod would leave out a tag `__proto__`.
    data: z.any().meta({ type: 'object', additionalProperties: { type: 'integer' } }),
  }),
  errors: [],
  example: { body: { tags: ['work', 'home'] }, result: { totalBadge: 3, data: { work: 3, home: 0 } } },
})
