import { z } from 'zod'
import type { JsonSchema } from './json-schema.ts'

/** Converts schemas of the contract to JSON Schemas; named ones go into the document's components, once. */
export interface SchemaCollector {
  /** For values that Parley sends. */
  output(schema: z.ZodType): JsonSchema
  /** For values that Parley receives. */
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
    } = JSON.parse(text) as JsonSchema & { definitions?: Record<string, JsonSchema> }
    for (const [name, definition] of Object.entries(definitions)) add(name, definition)
    return rest
  }

  function add(name: string, schema: JsonSchema): void {
    // A name stands for one schema: input and output that differ need two names.
    const before = named[name]
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(schema)) {
      throw new Error(`${name} differs between input and output: name each form`)
    }
    named[name] = schema
  }

  return {
    output: (schema) => convert(schema, 'output'),
    input: (schema) => convert(schema, 'input'),
    named,
  }
}
