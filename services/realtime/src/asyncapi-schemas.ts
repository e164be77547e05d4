import { z } from 'zod'

export type JsonSchema = Record<string, unknown>

/** Makes JSON Schemas of the contract's, whose named ones stand once, among the document's components. */
export interface SchemaCollector {
  /** What is sent. */
  output(schema: z.ZodType): JsonSchema
  /** What is taken. */
  input(schema: z.ZodType): JsonSchema
  readonly named: Record<string, JsonSchema>
}

export function createSchemaCollector(): SchemaCollector {
  const named: Record<string, JsonSchema> = {}

  function convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    // AsyncAPI's own schemas are a superset of draft 7.
    const written = z.toJSONSchema(schema, { target: 'draft-7', io, unrepresentable: 'any' })
    const text = JSON.stringify(written).replaceAll('"#/definitions/', '"#/components/schemas/')
    const {
      $schema: _,
      definitions = {},
      ...rest
    } = JSON.parse(text) as JsonSchema & {
      definitions?: Record<string, JsonSchema>
    }
    Object.assign(named, definitions)
    const { id } = schema.meta() ?? {}
    if (id === undefined) return rest
    named[id] = rest
    return { $ref: `#/components/schemas/${id}` }
  }

  return {
    output: (schema) => convert(schema, 'output'),
    input: (schema) => convert(schema, 'input'),
    named,
  }
}
