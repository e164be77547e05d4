/** The parts of JSON Schema that the contract uses. */
export interface JsonSchema {
  [keyword: string]: unknown
  $ref?: string
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
  maximum?: number
  description?: string
}

/** Names of the schemas that a schema refers to. */
export function referredIn(schema: JsonSchema): string[] {
  return [...JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name)
}

/** The body of a lenient operation: also allows unknown fields, and null for optional ones. */
export function lenientBody(schema: JsonSchema): JsonSchema {
  const { properties, required = [], additionalProperties, items, anyOf, ...rest } = schema
  const fields = Object.entries(properties ?? {}).map(([name, field]): [string, JsonSchema] => {
    const lenient = lenientBody(field)
    return [name, required.includes(name) ? lenient : orNull(lenient)]
  })
  return {
    ...rest,
    ...(properties && { properties: Object.fromEntries(fields) }),
    ...(required.length > 0 && { required }),
    ...(additionalProperties !== undefined && additionalProperties !== false && { additionalProperties }),
    ...(items && { items: lenientBody(items) }),
    ...(anyOf && { anyOf: anyOf.map(lenientBody) }),
  }
}

/** The `limit` of a lenient operation: unbounded, since it is lowered to the maximum. */
export function lenientLimit(parameter: { description?: string; schema: JsonSchema }): typeof parameter {
  const { maximum, ...schema } = parameter.schema
  if (maximum === undefined || maximum === Number.MAX_SAFE_INTEGER) return { ...parameter, schema }
  const said = [parameter.description, `Lowered to ${maximum} if greater`].filter(Boolean)
  return { ...parameter, description: said.join('. '), schema }
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, anyOf } = schema
  if (anyOf) return { ...schema, anyOf: [...anyOf, { type: 'null' }] }
  if ('enum' in schema || 'const' in schema || schema.$ref) {
    const { description, 'x-extension': mark, ...rest } = schema
    const aside = {
      ...(description !== undefined && { description }),
      ...(mark !== undefined && { 'x-extension': mark }),
    }
    return { ...aside, anyOf: [rest, { type: 'null' }] }
  }
  return type === undefined ? schema : { ...schema, type: [type, 'null'].flat() }
}
