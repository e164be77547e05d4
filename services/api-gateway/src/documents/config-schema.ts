import { configSchemas } from '@parley/contracts/resources/config-schemas'
import { z } from 'zod'

/** A JSON Schema (2020-12) of an app's configuration, for docs/config.schema.json. Other keys may have any value. */
export function configSchemaDocument(): object {
  const properties = Object.fromEntries(
    [...configSchemas].map(([key, schema]) => {
      const { $schema: _, ...only } = z.toJSONSchema(schema, { io: 'input' })
      return [key, only]
    }),
  )
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', properties }
}
