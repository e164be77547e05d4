/** The parts of a JSON Schema that the pages show. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  required?: string[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  description?: string
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  'x-extension'?: boolean
}

/** A Markdown table of an object's fields, or one line with the type of anything else. */
export function fieldTable(schema: Schema): string[] {
  const { properties, required = [] } = schema
  if (!properties) return [`${typeName(schema)}${schema.description ? `: ${schema.description}` : ''}`]
  const rows = Object.entries(properties).map(([name, field]) => {
    const notes = [
      required.includes(name) ? '' : 'optional',
      field['x-extension'] ? '*extension*' : '',
      ...bounds(field),
      field.description ?? '',
    ]
    const type = typeName(required.includes(name) ? field : withoutNull(field))
    return `| \`${name}\` | ${type} | ${notes.filter(Boolean).join('; ').replaceAll('|', '\\|')} |`
  })
  return ['| field | type | |', '|---|---|---|', ...rows]
}

/** In an optional field, null equals absence. */
function withoutNull(schema: Schema): Schema {
  const { type, anyOf } = schema
  const choices = anyOf?.filter((choice) => choice.type !== 'null')
  if (choices) return choices.length === 1 && choices[0] ? choices[0] : { ...schema, anyOf: choices }
  const [only, another] = [type].flat().filter((name) => name !== 'null')
  return only === undefined || another !== undefined ? schema : { ...schema, type: only }
}

/** The type in words, with a link if it is a resource. */
export function typeName(schema: Schema): string {
  const reference = /\/([^/]+)$/.exec(schema.$ref ?? '')?.[1]
  if (reference) return `[${reference}](resources.md#${reference.toLowerCase()})`
  // Next to properties, anyOf and oneOf only say which fields are required.
  const choices = schema.properties ? undefined : (schema.anyOf ?? schema.oneOf)
  if (choices) return [...new Set(choices.map(typeName))].join(' or ')
  if (schema.allOf) return schema.allOf.map(typeName).join(' and ')
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.type === 'array') return `list of ${schema.items ? typeName(schema.items) : 'any JSON'}`
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object' && !schema.properties) {
    return `object of ${typeName(schema.additionalProperties)}`
  }
  if (schema.type === 'object' && schema.properties) {
    return `\`{${Object.keys(schema.properties).join(', ')}}\``
  }
  if (Array.isArray(schema.type)) return schema.type.join(' or ')
  return schema.type ?? 'any JSON'
}

/** The default and the bounds of a value, if any. */
export function bounds(schema: Schema): string[] {
  const byDefault = schema.default === undefined ? '' : `default \`${JSON.stringify(schema.default)}\``
  return [byDefault, limits(schema)]
}

function limits({ minimum, maximum, minLength, maxLength, maxItems }: Schema): string {
  const atMost = (max: number | undefined) => max !== undefined && max < Number.MAX_SAFE_INTEGER
  if (atMost(maximum)) return minimum === undefined ? `at most ${maximum}` : `${minimum} to ${maximum}`
  if (atMost(maxLength)) return `${minLength ?? 0} to ${maxLength} characters`
  if (atMost(maxItems)) return `at most ${maxItems}`
  return ''
}
