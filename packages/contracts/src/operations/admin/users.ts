import { z } from 'zod'
import { operation } from '../../operation.ts'
import { pageCursor } from '../../page-cursor.ts'
import { adminUser } from '../../resources/user.ts'
import { timeParameter } from '../../time-parameter.ts'
import { exampleUser } from '../examples.ts'

/** All users by creation or last login, banned users by their ban, robots by creation. */
const userLists = ['created', 'lastLogin', 'banned', 'robots'] as const

export const listAllUsers = operation('listAllUsers', 'GET /admin/users', {
  tag: 'Administration',
  summary: 'Find users by a prefix of their name or ID, or list the latest',
  description:
    'With `q`: users whose ID begins with it, then users whose nickname, or a word in it, does, ignoring case, accents and letter forms; at most `limit`, not paged. Without `q`: the users of `list`, newest first, in pages.',
  access: 'admin',
  scope: 'users:read',
  query: z.object({
    q: z.string().min(1).max(256).optional().describe('Prefix of an ID, of a nickname or of a word in it'),
    list: z
      .enum(userLists)
      .optional()
      .describe(
        'Not with `q`. `created` (default): by creation; `lastLogin`: by last login; `banned`: by the ban from the app, ended ones included; `robots`: robots by creation',
      ),
    since: timeParameter.optional().describe('Earliest time, inclusive; not with `q`'),
    until: timeParameter.optional().describe('Latest time, inclusive; not with `q`'),
    limit: z.coerce.number().int().min(1).max(100).default(50),
    cursor: pageCursor.describe('`cursor` of the previous page; not with `q`'),
  }),
  result: z.object({
    data: z.array(adminUser),
    cursor: z.string().optional().describe('For the next page; absent on the last one and with `q`'),
  }),
  errors: ['INVALID_QUERY'],
  example: { query: { q: 'ali', limit: 50 }, result: { data: [exampleUser] } },
})
