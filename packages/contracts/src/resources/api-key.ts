import { z } from 'zod'
import { isoTime, madeId, naming, shownName } from '../ids.ts'
import { ours } from '../ours.ts'
import { keyScopes } from '../scopes.ts'
import { isoText } from '../time-parameter.ts'

export const keyId = naming('API key', madeId().describe('Beginning of the key’s SHA-256 digest'))

/** Maximum number of scopes, and of networks, of a key. */
const max = 100

/** The rights and limits of a new key; all but the name are optional. */
export const keyFields = {
  name: shownName(100).min(1).describe('Unique among active keys, such as the server that uses it'),
  scopes: z
    .array(z.enum(keyScopes))
    .min(1)
    .max(max)
    .optional()
    .describe(
      '`all`: every scope except `platform`, including those of later releases. Default: the scopes of the calling key, or `all`',
    ),
  expiresAt: isoText.optional().describe('When the key expires'),
  addresses: z
    .array(z.union([z.cidrv4(), z.cidrv6()], 'expected a network in CIDR notation, such as 10.0.0.0/8'))
    .min(1)
    .max(max)
    .optional()
    .describe('Networks that may use the key; default: all'),
  ratePerMinute: z
    .int()
    .min(1)
    .max(10_000_000)
    .optional()
    .describe('Requests per minute; default: PARLEY_GATEWAY_RATE_PER_API_KEY'),
}

/** An API key in lists, without the key itself. */
export const apiKey = z
  .object({
    id: keyId,
    name: z.string().describe('Empty for unnamed keys'),
    scopes: z.array(z.enum(keyScopes)),
    createdAt: isoTime,
    lastUsedAt: isoTime.optional().describe('To the minute'),
    expiresAt: isoTime.optional(),
    addresses: z.array(z.string()).optional(),
    ratePerMinute: z.int().optional(),
    revokedAt: isoTime.optional().describe('Only in lists with ended keys'),
  })
  .meta({ id: 'ApiKey', ...ours })
export type ApiKeyView = z.infer<typeof apiKey>
