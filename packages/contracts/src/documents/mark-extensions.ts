import { type JsonSchema, withParts } from './json-schema.ts'

const mark = 'x-extension'

/**
 * Marks every field inside a field or schema marked with `x-extension`, so that each field shows the mark on its own.
 * Referenced schemas are skipped: they carry their own marks.
 *
 * @param isOurs whether the schema is inside a marked one
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

/**
 * Keeps only the outermost marks.
 *
 * @param isOurs whether the schema is inside a marked one
 */
export function markedOnce(schema: JsonSchema, isOurs = false): JsonSchema {
  const { [mark]: own, ...others } = schema
  const isMarked = isOurs || own === true
  const inside = withParts(others, (part) => markedOnce(part, isMarked))
  return own === true && !isOurs ? { ...inside, [mark]: true } : inside
}
