import { type JsonSchema, withParts } from '@parley/contracts/documents/json-schema'

/** Names of the schemas that a schema refers to. */
export function referredIn(schema: JsonSchema): string[] {
  return [...JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name)
}

/** The body of a lenient operation: also allows unknown fields, and null for optional ones. */
export function lenientBody(schema: JsonSchema): JsonSchema {
  const { additionalProperties, ...lenient } = withParts(schema, lenientBody)
  const { properties, required = [] } = lenient as { properties?: Record<string, JsonSchema>; required?: string[] }
  const fields = Object.entries(properties ?? {}).map(([name, field]): [string, JsonSchema] => [
    name,
    required.includes(name) ? field : orNull(field),
  ])
  return {
    ...lenient,
    ...(properties && { properties: Object.fromEntries(fields) }),
    ...(additionalProperties !== undefined && additionalProperties !== false && { additionalProperties }),
  }
}

/** The `limit` of a lenient operation: unbounded, since it is lowered to the maximum. */
export function lenientLimit(parameter: { description?: string; schema: JsonSchema }): typeof parameter {
  const { maximum, ...schema } = parameter.schema as JsonSchema & { maximum?: number }
  if (maximum === undefined || maximum === Number.MAX_SAFE_INTEGER) return { ...parameter, schema }
  const said = [parameter.description, `Lowered to ${maximum} if greater`].filter(Boolean)
  return { ...parameter, description: said.join('. '), schema }
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, anyOf } = schema as { type?: string | string[]; anyOf?: JsonSchema[] }
  if (anyOf) return { ...schema, anyOf: [...anyOf, { type: 'null' }] }
  if ('enum' in schema || 'const' in schema || schema['$ref']) {
    const { description, 'x-extension': mark, ...rest } = schema
    const aside = {
      ...(description !== undefined && { description }),
      ...(mark !== undefined && { 'x-extension': mark }),
    }
    return { ...aside, anyOf: [rest, { type: 'null' }] }
  }
  return type === undefined ? schema : { ...schema, type: [type, 'null'].flat() }
}
