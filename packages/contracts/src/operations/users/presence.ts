import { z } from 'zod'
import { userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { exampleUserPresence, maxWatchedUsers, userPresence } from '../../resources/presence.ts'

export const getPresence = operation('getPresence', 'GET /presence', {
  tag: 'Presence',
  summary: 'Get the presence of users',
  description:
    'Users who share no room with the caller are left out. Hidden users and users who blocked the caller appear offline.',
  access: 'client',
  query: z.object({
    clients: z
      .union([userId, z.array(userId).min(1).max(maxWatchedUsers)])
      .describe(`User IDs; repeat the parameter, at most ${maxWatchedUsers}`),
  }),
  result: z.object({ clients: z.array(userPresence) }),
  errors: ['INVALID_QUERY', 'URI_TOO_LONG'],
  example: { query: { clients: ['bob'] }, result: { clients: [exampleUserPresence] } },
})
