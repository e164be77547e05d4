import { z } from 'zod'
import { auditsParam, operation } from '../../operation.ts'
import { apiKey, keyFields, keyId } from '../../resources/api-key.ts'

const exampleKey = {
  id: '9f86d081884c',
  name: 'support console',
  scopes: ['users:read' as const, 'messages:read' as const],
  createdAt: '2026-11-20T12:00:00.000Z',
  expiresAt: '2027-11-20T12:00:00.000Z',
  addresses: ['10.0.0.0/8'],
  ratePerMinute: 600,
}

export const addKey = operation('addKey', 'POST /admin/keys', {
  tag: 'API keys',
  summary: 'Add an API key to the app',
  description:
    'The key is returned only in this response. Its scopes, expiry, networks and rate cannot exceed those of the calling key, which are also the defaults.',
  access: 'admin',
  scope: 'keys:write',
  audit: () => ({ kind: 'key', id: '' }),
  body: z.strictObject(keyFields),
  result: apiKey.extend({ apiKey: z.string().describe('The key; shown only once') }),
  errors: ['CONFLICT', 'TOO_MANY_KEYS', 'INVALID_REQUEST'],
  example: {
    body: {
      name: 'support console',
      scopes: ['users:read', 'messages:read'],
      expiresAt: '2027-11-20T12:00:00Z',
      addresses: ['10.0.0.0/8'],
      ratePerMinute: 600,
    },
    result: { ...exampleKey, apiKey: 'ak_0123456789' },
  },
})

export const listKeys = operation('listKeys', 'GET /admin/keys', {
  tag: 'API keys',
  summary: 'List the app’s API keys, oldest first, without the keys themselves',
  access: 'admin',
  scope: 'keys:read',
  query: z.object({ ended: z.enum(['true', 'false']).default('false').describe('Include revoked and expired keys') }),
  result: z.object({ data: z.array(apiKey) }),
  example: { query: { ended: 'false' }, result: { data: [exampleKey] } },
})

export const revokeKey = operation('revokeKey', 'DELETE /admin/keys/:id', {
  tag: 'API keys',
  summary: 'Revoke an API key',
  description: 'By the time of the response, every gateway refuses the key. A key may revoke itself.',
  access: 'admin',
  scope: 'keys:write',
  audit: auditsParam('key', 'id'),
  params: z.object({ id: keyId }),
  result: apiKey,
  errors: ['API_KEY_NOT_FOUND'],
  example: { result: { ...exampleKey, revokedAt: '2026-11-21T12:00:00.000Z' } },
})
