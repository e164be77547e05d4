import type { JsonSchema } from './json-schema.ts'

const mark = 'x-extension'

/**
 * Marks every field inside a field or schema marked with `x-extension`, so that a reader of one field
 * alone sees it. Referenced schemas are left out: they have marks of their own.
 *
 * @param isOurs whether the schema as a whole stands inside something marked
 */
export function markInside(schema: JsonSchema, isOurs = false): void {
  const { properties, items, anyOf, allOf, additionalProperties } = schema as {
    properties?: Record<string, JsonSchema>
    items?: JsonSchema | JsonSchema[]
    anyOf?: JsonSchema[]
    allOf?: JsonSchema[]
    additionalProperties?: JsonSchema | boolean
  }
  const isMarked = isOurs || schema[mark] === true
  // The elements of a list of fixed length, such as the arguments of an emit, count as fields.
  const fields = [...Object.values(properties ?? {}), ...(Array.isArray(items) ? items : [])]
  for (const field of fields) {
    if (isMarked) field[mark] = true
    markInside(field, isMarked)
  }
  const others = [...(anyOf ?? []), ...(allOf ?? [])]
  if (items && !Array.isArray(items)) others.push(items)
  if (typeof additionalProperties === 'object') others.push(additionalProperties)
  for (const other of others) markInside(other, isMarked)
}
