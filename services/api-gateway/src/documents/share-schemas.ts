import { type JsonSchema, withParts } from '@parley/contracts/documents/json-schema'
import { markedOnce } from '@parley/contracts/documents/mark-extensions'
import { isPartName } from '@parley/contracts/documents/part-names'
import { sharedFields, sharedSchemas } from '@parley/contracts/documents/shared-schemas'
import { z } from 'zod'
import { referredIn } from './lenient-schema.ts'
import type { DescribedOperation, OpenApiDocument } from './openapi-shapes.ts'

type Schemas = Record<string, JsonSchema>

/** Puts a reference wherever a schema equals a resource or one of the shared schemas, whatever its description. */
export function shareSchemas(document: OpenApiDocument): void {
  const { schemas } = document.components
  const named: Schemas = Object.fromEntries(
    Object.entries(sharedSchemas).map(([name, schema]) => {
      const { $schema: _, ...only } = z.toJSONSchema(schema, { io: 'input' })
      return [name, only]
    }),
  )
  const resources = Object.entries(schemas).filter(([name, { type }]) => !isPartName(name) && type === 'object')
  const byForm = Map.groupBy([...resources, ...Object.entries(named)], ([, schema]) => formOf(schema))
  const used = new Set<string>()
  const share = (schema: JsonSchema): JsonSchema => {
    const found = byForm.get(formOf(schema))
    const same = found?.find(([, { description }]) => description === schema['description'])
    const [name, shared] = same ?? found?.find(([, { description }]) => !description) ?? []
    if (name === undefined || 'default' in schema) return withParts(schema, share)
    used.add(name)
    const { description, 'x-extension': isOurs } = schema
    return {
      $ref: `#/components/schemas/${name}`,
      ...(description !== undefined && description !== shared?.['description'] && { description }),
      ...(isOurs === true && { 'x-extension': true }),
    }
  }
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = withParts(schema, share)
  for (const [name, schema] of Object.entries(named))
    if (used.has(name)) {
      const { description, ...only } = withParts(schema, share)
      schemas[name] = { ...only, ...(description !== '' && { description }) }
    }
  for (const operation of operationsOf(document)) shareIn(operation, share)
  for (const [name, fields] of Object.entries(sharedFields)) schemas[name] = share(answerOf(fields))
}

/** A response schema, which is open, with references to the document's resources. */
function answerOf(fields: z.ZodType): JsonSchema {
  const { $schema: _, $defs: _2, ...only } = z.toJSONSchema(fields)
  const text = JSON.stringify(only).replaceAll('"#/$defs/', '"#/components/schemas/')
  return opened(markedOnce(JSON.parse(text) as JsonSchema))
}

function shareIn({ parameters = [], requestBody, responses }: DescribedOperation, share: typeof identity): void {
  for (const parameter of parameters) parameter.schema = share(parameter.schema)
  for (const body of [requestBody, ...Object.values(responses)])
    for (const media of Object.values(body?.content ?? {})) if (media.schema) media.schema = share(media.schema)
}

/** Opens the objects of responses, to which later versions may add fields. Request bodies stay closed. */
export function openResponses(document: OpenApiDocument): void {
  const { schemas } = document.components
  const sent = reachedFrom(schemas, [
    ...operationsOf(document).map(({ parameters, requestBody }) => ({ parameters, requestBody })),
    document.webhooks,
  ])
  for (const [name, schema] of Object.entries(schemas)) if (!sent.has(name)) schemas[name] = opened(schema)
}

function opened(schema: JsonSchema): JsonSchema {
  const { additionalProperties, ...others } = withParts(schema, opened)
  const isClosed = additionalProperties === undefined || additionalProperties === false
  return isClosed ? others : { ...others, additionalProperties }
}

/** Describes a response with all fields of a resource as that resource plus the added fields. */
export function extendResources(document: OpenApiDocument): void {
  const { schemas } = document.components
  const before = { ...schemas }
  const isOpen = ({ type, properties, additionalProperties }: JsonSchema) =>
    type === 'object' && properties !== undefined && additionalProperties === undefined
  const resources = Object.entries(before).filter(
    ([name, schema]) => (!isPartName(name) || name in sharedFields) && isOpen(schema),
  )
  const inputs = reachedFrom(schemas, [operationsOf(document).map(({ requestBody }) => requestBody), document.webhooks])
  for (const [name, schema] of Object.entries(before)) {
    if (!isOpen(schema) || inputs.has(name)) continue
    const saved = ([, resource]: [string, JsonSchema]) => JSON.stringify(resource).length
    const bases = resources.filter(
      ([other, resource]) => other !== name && extendsSchema(schema, resource) && saved([other, resource]) > 300,
    )
    const [base] = bases.toSorted((one, other) => saved(other) - saved(one))
    if (base) schemas[name] = asExtension(schema, base)
  }
  const used = reachedFrom(schemas, operationsOf(document))
  for (const name of Object.keys(sharedFields)) if (!used.has(name)) delete schemas[name]
}

function extendsSchema(schema: JsonSchema, base: JsonSchema): boolean {
  const [own, inherited] = [propertiesOf(schema), propertiesOf(base)]
  const isOurs = schema['x-extension'] === true
  if (base['x-extension'] === true && !isOurs) return false
  const form = (property: JsonSchema | undefined) =>
    property && JSON.stringify(sorted(isOurs ? unmarked(property) : property))
  return (
    Object.keys(own).length > Object.keys(inherited).length &&
    Object.entries(inherited).every(([name, property]) => form(own[name]) === form(property)) &&
    requiredOf(base).every((name) => requiredOf(schema).includes(name)) &&
    requiredOf(schema).every((name) => !(name in inherited) || requiredOf(base).includes(name))
  )
}

function asExtension(schema: JsonSchema, [name, base]: [string, JsonSchema]): JsonSchema {
  const { type, properties: _, required: _2, ...others } = schema
  const inherited = propertiesOf(base)
  const required = requiredOf(schema).filter((field) => !(field in inherited))
  const properties = Object.fromEntries(Object.entries(propertiesOf(schema)).filter(([field]) => !(field in inherited)))
  const added = { type, properties, ...(required.length > 0 && { required }) }
  return { allOf: [{ $ref: `#/components/schemas/${name}` }, added], ...others }
}

/** Names of the components that are referred to, themselves or by others. */
export function reachedFrom(schemas: Schemas, from: unknown): Set<string> {
  const reached = new Set<string>()
  const follow = (names: string[]) => {
    for (const name of names.filter((one) => !reached.has(one))) {
      reached.add(name)
      follow(referredIn(schemas[name] ?? {}))
    }
  }
  follow(referredIn({ from }))
  return reached
}

const identity = (schema: JsonSchema): JsonSchema => schema
const propertiesOf = (schema: JsonSchema) => (schema['properties'] ?? {}) as Schemas
const requiredOf = (schema: JsonSchema) => (schema['required'] ?? []) as string[]

export function operationsOf({ paths, webhooks }: OpenApiDocument): DescribedOperation[] {
  return [...Object.values(paths), ...Object.values(webhooks)].flatMap((path) => Object.values(path))
}

/** The schema as text, ignoring key order, description and marks. */
function formOf(schema: JsonSchema): string {
  const { description: _, ...others } = schema
  return JSON.stringify(sorted(unmarked(others)))
}

function unmarked(schema: JsonSchema): JsonSchema {
  const { 'x-extension': _, ...others } = withParts(schema, unmarked)
  return others
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inside]) => [key, sorted(inside)]))
}
