import type { JsonSchema } from '@parley/contracts/documents/json-schema'
import { errorCatalogue } from '@parley/contracts/errors'
import type { Operation } from '@parley/contracts/operation'
import { allOperations } from '@parley/contracts/operations/all'
import { pushCall, webhookAnswer, webhookCall } from '@parley/contracts/resources/webhook'
import { clientEmits } from '@parley/contracts/socket/client-emits'
import { serverEvents } from '@parley/contracts/socket/server-events'
import { z } from 'zod'

export const typeName = ({ id }: Pick<Operation, 'id'>): string => (id[0] ?? '').toUpperCase() + id.slice(1)

/** JSON Schemas, keyed by the name of the generated type. */
export function contractDefinitions(): Record<string, JsonSchema> {
  const definitions: Record<string, JsonSchema> = {}
  const convert = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
    const written = z.toJSONSchema(schema, { target: 'draft-7', io, unrepresentable: 'any' })
    const { $schema: _, definitions: named = {}, ...rest } = written as JsonSchema & { definitions?: object }
    for (const [name, definition] of Object.entries(named)) definitions[name] ??= forTypes(definition)
    return forTypes(rest)
  }
  for (const operation of allOperations) {
    definitions[`${typeName(operation)}Input`] = inputOf(operation, convert)
    definitions[`${typeName(operation)}Result`] = asType(convert(resultOf(operation), 'output'))
  }
  const events = Object.entries(serverEvents).map(([name, { payload }]) => [name, convert(payload, 'output')])
  definitions['ServerEvents'] = objectOf(Object.fromEntries(events))
  definitions['LoginResult'] = convert(clientEmits.auth2.ack, 'output')
  definitions['WebhookCall'] = convert(webhookCall, 'output')
  definitions['PushCall'] = convert(pushCall, 'output')
  definitions['WebhookAnswer'] = convert(webhookAnswer, 'input')
  definitions['ErrorCode'] = { type: 'string', enum: Object.keys(errorCatalogue) }
  return definitions
}

/** Merges path parameters, query and body into one input object. Their names must be distinct. */
function inputOf(operation: Operation, convert: (schema: z.ZodType, io: 'input') => JsonSchema): JsonSchema {
  const parts = [operation.params, operation.query, operation.body].flatMap((part) =>
    part === undefined ? [] : [convert(part, 'input')],
  )
  const names = parts.flatMap((part) => Object.keys(part['properties'] ?? {}))
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new Error(`${operation.id}: ${twice} appears in more than one of path, query and body`)
  const free = parts.find((part) => part['properties'] === undefined)
  if (free) return free
  const required = parts.flatMap((part) => (part['required'] as string[] | undefined) ?? [])
  return objectOf(Object.assign({}, ...parts.map((part) => part['properties'])), required)
}

function resultOf({ result, bareResult, accepted }: Operation): z.ZodType {
  const forms = [result, bareResult, accepted].filter((form) => form !== undefined)
  return forms.length === 1 ? result : z.union(forms)
}

const objectOf = (properties: object, required: readonly string[] = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  required,
})

/** Wraps a bare `$ref`, which would otherwise get no type name of its own. */
const asType = (schema: JsonSchema): JsonSchema => ('$ref' in schema ? { allOf: [schema] } : schema)

/** Drops keywords that do not affect types: bounds, patterns, and rules between fields. */
function forTypes(schema: unknown): JsonSchema {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (['pattern', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum'].includes(key))
      return undefined
    if (['default', 'propertyNames', 'contentSchema', 'x-extension', 'not', 'id'].includes(key) && !isProperty(value)) {
      return undefined
    }
    return key === 'properties' ? value : openObject(value)
  })
  return JSON.parse(text) as JsonSchema
}

/** Whether the key names a field in `properties` rather than a schema keyword. */
const isProperty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ('type' in value || '$ref' in value || 'anyOf' in value)

/** Marks empty schemas as `unknown`, since json-schema-to-typescript types them as objects. */
function openObject(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const schema = value as JsonSchema
  if (Object.keys(schema).every((key) => key === 'description')) return { ...schema, tsType: 'unknown' }
  if (schema['type'] !== 'object') return value
  if (schema['properties'] === undefined) return { additionalProperties: true, ...schema }
  const { anyOf: _, oneOf: _oneOf, ...rest } = schema
  return rest
}
