import { z } from 'zod'
import { operation } from '../../operation.ts'
import { adminUser } from '../../resources/user.ts'
import { timeParameter } from '../../time-parameter.ts'
import { exampleUser } from '../examples.ts'

/** The lists of users: all by their creation or last login, those banned from the app by the ban, and robots by their creation. */
const userLists = ['created', 'lastLogin', 'banned', 'robots'] as const

export const listAllUsers = operation({
  id: 'listAllUsers',
  method: 'GET',
  path: '/admin/users',
  tag: 'Administration',
  summary: 'Users of the app, by the beginning of a name or ID, or the latest first',
  description:
    'With `q` the users whose ID begins with it, then those whose nickname, or a word of it, does, without regard to case, accents and forms of a letter: at most `limit`, with no further page. Without `q` the users of `list`, the latest first, in pages.',
  access: 'admin',
  scope: 'users:read',
  form: 'envelope',
  query: z.object({
    q: z.string().min(1).max(256).optional().describe('The beginning of an ID, of a nickname or of a word of it'),
    list: z
      .enum(userLists)
      .default('created')
      .describe(
        'Without `q`. By the time of: creation; last login, of those who have logged in; ban from the app, which may have ended; creation, of robots',
      ),
    since: timeParameter.optional().describe('With that time at this one or later; not with `q`'),
    until: timeParameter.optional().describe('With that time at this one or before; not with `q`'),
    limit: z.coerce.number().int().min(1).max(100).default(50),
    cursor: z.string().max(1_000).optional().describe('`cursor` of the page before; not with `q`'),
  }),
  result: z.object({
    data: z.array(adminUser),
    cursor: z.string().optional().describe('Of the next page; absent on the last one, and with `q`'),
  }),
  errors: ['INVALID_QUERY'],
  extension: true,
  example: { query: { q: 'ali', limit: 50 }, result: { data: [exampleUser] } },
})
