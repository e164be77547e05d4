import { z } from 'zod'
import { userId } from '../../ids.ts'
import { auditsParam, operation } from '../../operation.ts'
import { adminUser } from '../../resources/user.ts'
import { exampleUser } from '../examples.ts'
import { banEnd } from './bans.ts'

const params = z.object({ client_id: userId })

export const banUser = operation('banUser', 'POST /admin/clients/:client_id/ban', {
  tag: 'Moderation',
  summary: 'Ban a user from the app',
  description:
    'Revokes the user’s tokens, disconnects their sockets, and refuses new tokens and sends in their name. They stay in their rooms. Banning again changes the end.',
  access: 'admin',
  scope: 'moderation:write',
  audit: auditsParam('user', 'client_id'),
  params,
  body: z.strictObject({ untilMS: banEnd.optional() }),
  result: adminUser,
  errors: ['CLIENT_NOT_FOUND'],
  example: {
    body: { untilMS: 1_798_761_600_000 },
    result: { ...exampleUser, isAdmin: false, ban: { atMS: 1_795_176_000_000 } },
  },
})

export const unbanUser = operation('unbanUser', 'DELETE /admin/clients/:client_id/ban', {
  tag: 'Moderation',
  summary: 'Lift a user’s ban from the app',
  description: 'The ban revoked the user’s tokens: issue a new one.',
  access: 'admin',
  scope: 'moderation:write',
  audit: auditsParam('user', 'client_id'),
  params,
  result: adminUser,
  errors: ['CLIENT_NOT_FOUND', 'BLOCK_NOT_FOUND'],
  example: { result: { ...exampleUser, isAdmin: false } },
})
