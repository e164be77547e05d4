/**
 * Whether a schema of the OpenAPI document belongs to operations: a request, a response, its result, an item of a list,
 * or an error. The other schemas are resources.
 */
export function isPartName(name: string): boolean {
  return /(?:Request|Response|Result|Item|Error)$/.test(name)
}

/** The schema itself, where a reference names a part of an operation; resources stay references. */
export function withoutPartRefs<T>(schema: T, schemas: Record<string, unknown>): T {
  if (Array.isArray(schema)) return schema.map((one) => withoutPartRefs(one, schemas)) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref, ...beside } = schema as { $ref?: unknown }
  const name = typeof $ref === 'string' ? $ref.replace(/.*\//, '') : ''
  if (isPartName(name)) return { ...(withoutPartRefs(schemas[name], schemas) as object), ...beside } as T
  const entries = Object.entries(schema).map(([key, value]) => [key, withoutPartRefs(value, schemas)])
  return Object.fromEntries(entries) as T
}
