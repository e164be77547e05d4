import { z } from 'zod'
import { isObject } from '../../free-json.ts'
import { inPath, naming } from '../../ids.ts'
import { auditsParam, operation } from '../../operation.ts'
import { tokenIssuersKey } from '../../resources/token-issuer.ts'
import type { Scope } from '../../scopes.ts'

const maxKeyLength = 128

/** The configuration key that lists keys hidden from users. */
export const privateKeysKey = 'privateKeys'
export const privateKeys = z.array(z.string(), 'expected a list of configuration keys')

/** 1 to 128 code points: an emoji counts as one. */
export function isConfigKey(name: string): boolean {
  return name !== '' && name.isWellFormed() && Array.from(name).length <= maxKeyLength
}

export const configKey = naming(
  'configuration key',
  inPath(z.string())
    .refine(isConfigKey, `expected 1 to ${maxKeyLength} characters`)
    .meta({ minLength: 1, maxLength: maxKeyLength }),
)
// Not a record: zod would leave out the key `__proto__`, which is an ordinary one here.
const config = z
  .any()
  .refine(isObject, 'expected a JSON object')
  .meta({
    type: 'object',
    propertyNames: { minLength: 1, maxLength: maxKeyLength, not: { enum: ['.', '..'] } },
    description: `Keys of 1 to ${maxKeyLength} characters with any JSON as value`,
  })

const exampleConfig = { announcement: 'Maintenance at noon', censorship: { keywords: ['darn'] } }

/** An issuer makes tokens of anybody, and without it the logins of its users end. */
const scopesOfKeys = (keys: readonly string[]): readonly Scope[] =>
  keys.includes(tokenIssuersKey) ? ['users:write'] : []

export const setConfig = operation('setConfig', 'POST /config', {
  inInterface: true,
  tag: 'Configuration',
  summary: 'Set configuration keys and keep all others',
  access: 'admin',
  scope: 'config:write',
  scopesFor: ({ body }) => scopesOfKeys(Object.keys(body)),
  audit: ({ body }) => ({ kind: 'config', id: Object.keys(body).join(' ').slice(0, 200) }),
  body: config,
  result: config,
  errors: ['INVALID_BODY', 'INVALID_REQUEST'],
  invalid: { body: 'INVALID_BODY' },
  missing: 'INVALID_BODY',
  example: { body: exampleConfig, result: exampleConfig },
})

export const deleteConfigKey = operation('deleteConfigKey', 'DELETE /config/:key', {
  inInterface: true,
  tag: 'Configuration',
  summary: 'Remove a configuration key',
  access: 'admin',
  scope: 'config:write',
  scopesFor: ({ params }) => scopesOfKeys(Object.values(params)),
  audit: auditsParam('config', 'key'),
  params: z.object({ key: configKey }),
  result: z.object({}),
  errors: ['CONFIG_NOT_FOUND'],
  example: { result: {} },
})

export const getConfig = operation('getConfig', 'GET /config', {
  inInterface: true,
  tag: 'Configuration',
  summary: 'Get the configuration',
  access: 'client-or-admin',
  scope: 'config:read',
  result: config,
  example: { result: exampleConfig },
})
