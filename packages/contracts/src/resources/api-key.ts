import { z } from 'zod'
import { isoTime, madeId, naming, shownName } from '../ids.ts'
import { ours } from '../ours.ts'
import { keyScopes } from '../scopes.ts'

export const keyId = naming('API key', madeId().describe('The beginning of the SHA-256 digest of the key'))

/** The most scopes, and networks, of a key. */
const most = 100

/** The rights and limits of a new key; all but the name are optional. */
export const keyFields = {
  name: shownName(100).min(1).describe('Unique among the keys in force, such as the server that uses it'),
  scopes: z
    .array(z.enum(keyScopes))
    .min(1)
    .max(most)
    .optional()
    .describe(
      '`all` is every scope but `platform`, also those of later releases; by default `all`, or those of the calling key',
    ),
  expiresAt: z.iso.datetime({ offset: true }).optional().describe('The key ends by itself then'),
  addresses: z
    .array(z.union([z.cidrv4(), z.cidrv6()], 'expected a network in CIDR notation, such as 10.0.0.0/8'))
    .min(1)
    .max(most)
    .optional()
    .describe('Networks from which the key may be used; absent: all'),
  ratePerMinute: z
    .int()
    .min(1)
    .max(10_000_000)
    .optional()
    .describe('Requests in a minute; absent: as PARLEY_GATEWAY_RATE_PER_API_KEY'),
}

/** An API key as it is listed: never the key itself. */
export const apiKey = z
  .object({
    id: keyId,
    name: z.string().describe('Empty for a key from before names existed'),
    scopes: z.array(z.enum(keyScopes)),
    createdAt: isoTime,
    lastUsedAt: isoTime.optional().describe('To the minute'),
    expiresAt: isoTime.optional(),
    addresses: z.array(z.string()).optional(),
    ratePerMinute: z.int().optional(),
    revokedAt: isoTime.optional().describe('Only where ended keys are listed too'),
  })
  .meta({ id: 'ApiKey', ...ours })
export type ApiKeyView = z.infer<typeof apiKey>
