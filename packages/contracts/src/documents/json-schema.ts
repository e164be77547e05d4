export type JsonSchema = Record<string, unknown>

/** Applies `change` to each direct subschema. */
export function withParts(schema: JsonSchema, change: (part: JsonSchema) => JsonSchema): JsonSchema {
  const changed: JsonSchema = { ...schema }
  const { properties, items, additionalProperties } = schema as {
    properties?: Record<string, JsonSchema>
    items?: JsonSchema | JsonSchema[]
    additionalProperties?: JsonSchema | boolean
  }
  if (properties)
    changed['properties'] = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, change(one)]))
  if (items) changed['items'] = Array.isArray(items) ? items.map((item) => change(item)) : change(items)
  if (typeof additionalProperties === 'object') changed['additionalProperties'] = change(additionalProperties)
  for (const key of ['anyOf', 'allOf']) {
    const choices = schema[key] as JsonSchema[] | undefined
    if (choices) changed[key] = choices.map((choice) => change(choice))
  }
  return changed
}
