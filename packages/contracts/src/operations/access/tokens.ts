import { z } from 'zod'
import { isoTime, userId } from '../../ids.ts'
import { auditsParam, operation } from '../../operation.ts'
import { expirationDate, suppliedToken } from '../users/users.ts'

const client = z.object({ client_id: userId })

export const revokeTokens = operation({
  id: 'revokeTokens',
  method: 'DELETE',
  path: '/admin/clients/:client_id/token',
  tag: 'Users and tokens',
  summary: 'Revoke one token of a user, or all',
  description: 'Immediate and irreversible: sockets of a revoked token are disconnected.',
  access: 'admin',
  scope: 'users:write',
  audit: auditsParam('user', 'client_id'),
  form: 'bare',
  params: client,
  body: z.strictObject({ token: z.string().min(1).optional().describe('Without it all tokens are removed') }),
  result: z.object({ success: z.boolean(), message: z.string(), revokedTokens: z.number().int() }),
  errors: ['CLIENT_NOT_FOUND', 'TOKEN_NOT_FOUND'],
  missing: 'INVALID_REQUEST',
  example: { body: { token: 'pt_0123456789' }, result: { success: true, message: 'revoked', revokedTokens: 1 } },
})

export const bindToken = operation({
  id: 'bindToken',
  method: 'PUT',
  path: '/admin/clients/:client_id/token',
  tag: 'Users and tokens',
  summary: 'Bind a token of the integrator to a user; it replaces all of the user’s tokens',
  access: 'admin',
  scope: 'users:write',
  audit: auditsParam('user', 'client_id'),
  form: 'bare',
  params: client,
  body: z.strictObject({ token: suppliedToken, expirationDate }),
  result: z.object({ _id: userId, token: z.string(), expirationDate: isoTime }),
  errors: ['USER_BANNED', 'CLIENT_NOT_FOUND', 'INVALID_REQUEST'],
  missing: 'INVALID_REQUEST',
  extension: true,
  example: {
    body: { token: 'my-token', expirationDate: '2027-01-01T00:00:00Z' },
    result: { _id: 'alice', token: 'my-token', expirationDate: '2027-01-01T00:00:00.000Z' },
  },
})

export const renewToken = operation({
  id: 'renewToken',
  method: 'POST',
  path: '/me/token',
  tag: 'Users and tokens',
  summary: 'Issue a new token; ends the one of this call',
  access: 'client',
  form: 'envelope',
  result: z.object({ token: z.string(), expirationDate: isoTime }),
  errors: [],
  extension: true,
  example: { result: { token: 'pt_0123456789', expirationDate: '2026-12-20T12:00:00.000Z' } },
})
