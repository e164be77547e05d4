import { z } from 'zod'
import { comparedText, isoTime, userId } from '../../ids.ts'
import { auditsParam, operation } from '../../operation.ts'
import { ours } from '../../ours.ts'
import { exampleUserToken, tokenId, userToken } from '../../resources/user-token.ts'
import { deviceOfToken, expirationDate, suppliedToken } from '../users/users.ts'

const client = z.object({ client_id: userId })

/** `jti` of a token of the app's own login. */
export const tokenIdOfIssuer = comparedText(1_000).min(1)

export const revokeTokens = operation('revokeTokens', 'DELETE /admin/clients/:client_id/token', {
  inInterface: true,
  tag: 'Users and tokens',
  summary: 'Revoke one or all tokens of a user',
  description: 'Immediate and irreversible. Sockets of a revoked token are disconnected.',
  access: 'admin',
  scope: 'users:write',
  audit: auditsParam('user', 'client_id'),
  form: 'bare',
  params: client,
  body: z.strictObject({
    token: z.string().min(1).optional().describe('Without it, all tokens are revoked'),
    jti: tokenIdOfIssuer
      .optional()
      .meta(ours)
      .describe('Instead: the token of your own login with this ID, whether already presented or not'),
    deviceId: deviceOfToken
      .optional()
      .meta(ours)
      .describe('Instead: the tokens of this device, including those of your own login issued for it so far'),
  }),
  result: z.object({ success: z.boolean(), message: z.string(), revokedTokens: z.number().int() }),
  errors: ['CLIENT_NOT_FOUND', 'TOKEN_NOT_FOUND'],
  missing: 'INVALID_REQUEST',
  example: { body: { token: 'pt_0123456789' }, result: { success: true, message: 'revoked', revokedTokens: 1 } },
})

export const bindToken = operation('bindToken', 'PUT /admin/clients/:client_id/token', {
  tag: 'Users and tokens',
  summary: 'Bind your own token to a user, replacing all of the user’s tokens',
  access: 'admin',
  scope: 'users:write',
  audit: auditsParam('user', 'client_id'),
  form: 'bare',
  params: client,
  body: z.strictObject({ token: suppliedToken, expirationDate }),
  result: z.object({ _id: userId, token: z.string(), expirationDate: isoTime }),
  errors: ['USER_BANNED', 'CLIENT_NOT_FOUND', 'INVALID_REQUEST'],
  missing: 'INVALID_REQUEST',
  example: {
    body: { token: 'my-token', expirationDate: '2027-01-01T00:00:00Z' },
    result: { _id: 'alice', token: 'my-token', expirationDate: '2027-01-01T00:00:00.000Z' },
  },
})

export const renewToken = operation('renewToken', 'POST /me/token', {
  tag: 'Users and tokens',
  summary: 'Issue a new token in place of the calling one',
  access: 'client',
  result: z.object({ token: z.string(), expirationDate: isoTime }),
  errors: ['PERMISSION_DENIED'],
  example: { result: { token: 'pt_0123456789', expirationDate: '2026-12-20T12:00:00.000Z' } },
})

const listed = z.object({ data: z.array(userToken).describe('Active tokens, newest first; at most 50') })

export const listTokens = operation('listTokens', 'GET /admin/clients/:client_id/tokens', {
  tag: 'Users and tokens',
  summary: 'List the active tokens of a user',
  access: 'admin',
  scope: 'users:read',
  params: client,
  result: listed,
  errors: ['CLIENT_NOT_FOUND'],
  example: { result: { data: [exampleUserToken] } },
})

export const endToken = operation('endToken', 'DELETE /admin/clients/:client_id/tokens/:id', {
  tag: 'Users and tokens',
  summary: 'Revoke one token of a user and disconnect its sockets',
  access: 'admin',
  scope: 'users:write',
  audit: auditsParam('user', 'client_id'),
  params: client.extend({ id: tokenId }),
  result: z.object({}),
  errors: ['CLIENT_NOT_FOUND', 'TOKEN_NOT_FOUND'],
  example: { result: {} },
})

export const listMyTokens = operation('listMyTokens', 'GET /me/tokens', {
  tag: 'Users and tokens',
  summary: 'List the caller’s active tokens: where they are signed in',
  access: 'client',
  result: listed,
  example: { result: { data: [{ ...exampleUserToken, isCurrent: true }] } },
})

export const endMyToken = operation('endMyToken', 'DELETE /me/tokens/:id', {
  tag: 'Users and tokens',
  summary: 'Sign a device out: revoke a token of the caller and disconnect its sockets',
  access: 'client',
  params: z.object({ id: tokenId }),
  result: z.object({}),
  errors: ['TOKEN_NOT_FOUND'],
  example: { result: {} },
})
