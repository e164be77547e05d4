import { type JsonSchema, withParts } from './json-schema.ts'
import { markInside } from './mark-extensions.ts'
import { sharedFields, sharedSchemas } from './shared-schemas.ts'

/**
 * Whether a schema of the OpenAPI document belongs to operations: a request, a response, its result, a list item, an
 * error, or a part that several of them share. All other schemas are resources.
 */
export function isPartName(name: string): boolean {
  return /(?:Request|Response|Result|Item|Error)$/.test(name) || name in sharedSchemas || name in sharedFields
}

interface Components {
  schemas: Record<string, object>
  responses?: Record<string, object>
  parameters?: Record<string, object>
}

/**
 * Inlines references to parts of operations and marks every extension field. References to resources stay. A schema that
 * extends a resource gets all its fields.
 */
export function withoutPartRefs<S extends object>(schema: S, schemas: Record<string, object>): S {
  return expanded(schema as JsonSchema, schemas as Record<string, JsonSchema>) as S
}

function expanded(schema: JsonSchema, schemas: Record<string, JsonSchema>): JsonSchema {
  const { $ref, allOf, ...beside } = schema as { $ref?: string; allOf?: [JsonSchema, JsonSchema] }
  const name = $ref?.replace(/.*\//, '')
  if (name !== undefined && isPartName(name))
    return markedInside({ ...expanded(schemas[name] ?? {}, schemas), ...beside })
  if (!allOf) return markedInside(withParts(schema, (part) => expanded(part, schemas)))
  const [base, added] = allOf.map((one) => {
    const resource = schemas[String(one['$ref']).replace(/.*\//, '')]
    return expanded(resource ?? one, schemas)
  })
  const required = [...requiredOf(base), ...requiredOf(added)]
  const properties = { ...propertiesOf(base), ...propertiesOf(added) }
  return markedInside({ type: 'object', properties, ...(required.length > 0 && { required }), ...beside })
}

/** The operation with referenced parameters, bodies and responses inlined. */
export function inPlace<O extends object>(operation: O, components: Components): O {
  const { parameters = [], requestBody, responses } = operation as Described
  const isOurs = (operation as Described)['x-extension'] === true
  const resolved = (one: { $ref?: string }, from: Record<string, object> = {}) =>
    one.$ref === undefined ? one : (from[one.$ref.replace(/.*\//, '')] ?? {})
  const whole = (schema: JsonSchema, isMarked: boolean) => {
    const all = withoutPartRefs(schema, components.schemas)
    if (isMarked) markInside(all, true)
    return all
  }
  const body = ({ content, ...others }: Body, isMarked: boolean) => ({
    ...others,
    ...(content && {
      content: Object.fromEntries(
        Object.entries(content).map(([type, media]) => [
          type,
          { ...media, ...(media.schema && { schema: whole(media.schema, isMarked) }) },
        ]),
      ),
    }),
  })
  return {
    ...operation,
    parameters: parameters.map((one) => {
      const parameter = resolved(one, components.parameters) as { schema: JsonSchema }
      const mark = isOurs ? { 'x-extension': true } : {}
      return Object.assign({}, parameter, mark, { schema: whole(parameter.schema, isOurs) })
    }),
    ...(requestBody && { requestBody: body(requestBody, isOurs) }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, one]) => {
        const response = resolved(one, components.responses) as Body
        return [status, body(response, isOurs && Number(status) < 400)]
      }),
    ),
  }
}

interface Body {
  $ref?: string
  content?: Record<string, { schema?: JsonSchema }>
}
interface Described {
  'x-extension'?: boolean
  parameters?: { $ref?: string }[]
  requestBody?: Body
  responses: Record<string, Body>
}

function markedInside(schema: JsonSchema): JsonSchema {
  markInside(schema)
  return schema
}

const propertiesOf = (schema: JsonSchema | undefined) => (schema?.['properties'] ?? {}) as Record<string, JsonSchema>
const requiredOf = (schema: JsonSchema | undefined) => (schema?.['required'] ?? []) as string[]
