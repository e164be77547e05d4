import type { JsonSchema } from './json-schema.ts'

const isMarked = (schema: JsonSchema) => schema['x-extension'] === true

/**
 * The fields of a schema without an extension mark, written as in `interfaceOperations`: the properties of an object, otherwise
 * its type. References give the name only.
 */
export function unmarkedFields(schema: JsonSchema): string[] {
  if (isMarked(schema)) return []
  const fields = insideOf(schema, '')
  return isObject(schema) && schema['$ref'] === undefined ? fields : [typeOf(schema), ...fields]
}

/** The arguments of an emit, a list of fixed length, by position. */
export function unmarkedArguments(schema: JsonSchema): string[] {
  const items = schema['items'] as JsonSchema[]
  return items.flatMap((item, i) => fieldAndInside(item, `[${i}]`, `[${i}]`))
}

function insideOf(schema: JsonSchema, path: string): string[] {
  const { properties, anyOf, items } = schema as {
    properties?: Record<string, JsonSchema>
    anyOf?: JsonSchema[]
    items?: JsonSchema
  }
  // Beside properties, anyOf only says which of them go together.
  if (anyOf && !properties) return anyOf.flatMap((one) => insideOf(one, path))
  if (items) return insideOf(items, `${path.replace(/\.$/, '')}[].`)
  const required = (schema['required'] ?? []) as string[]
  return Object.entries(properties ?? {}).flatMap(([name, property]) =>
    fieldAndInside(property, `${path}${name}`, `${path}${name}${required.includes(name) ? '*' : ''}`),
  )
}

function fieldAndInside(schema: JsonSchema, path: string, written: string): string[] {
  return isMarked(schema) ? [] : [`${written} ${typeOf(schema)}`, ...insideOf(schema, `${path}.`)]
}

function isObject(schema: JsonSchema): boolean {
  return schema['type'] === 'object'
}

/** Such as string, number (integers too), Room, string[], `string | object`, or any. Ignores null. */
export function typeOf(schema: JsonSchema): string {
  const { $ref, allOf, anyOf, type, items } = schema as {
    $ref?: string
    allOf?: JsonSchema[]
    anyOf?: JsonSchema[]
    type?: string | string[]
    items?: JsonSchema
  }
  const [only] = [type].flat()
  if ($ref !== undefined) return $ref.replace(/.*\//, '').replace(/Input$/, '')
  if (allOf?.length === 1 && allOf[0]) return typeOf(allOf[0])
  if (anyOf && type === undefined) return [...new Set(anyOf.map(typeOf).filter((one) => one !== 'null'))].join(' | ')
  if (only === 'array') return `${typeOf(items ?? {})}[]`
  return only === 'integer' ? 'number' : (only ?? 'any')
}
