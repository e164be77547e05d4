import type { JsonSchema } from '@parley/contracts/documents/json-schema'
import { linksFrom } from '@parley/contracts/documents/links'
import { markedOnce } from '@parley/contracts/documents/mark-extensions'
import { okEnvelope } from '@parley/contracts/envelope'
import { headerNames } from '@parley/contracts/headers'
import type { Operation } from '@parley/contracts/operation'
import { allOperations } from '@parley/contracts/operations/all'
import { ours } from '@parley/contracts/ours'
import { exampleFeedEvent } from '@parley/contracts/resources/feed-event'
import { z } from 'zod'
import { lenientBody, lenientLimit, referredIn } from './lenient-schema.ts'
import { nameParts } from './name-parts.ts'
import type { DescribedOperation, OpenApiDocument, Response } from './openapi-shapes.ts'
import { shareExamples, shareParameters, shareResponses } from './share-parts.ts'
import { extendResources, openResponses, operationsOf, reachedFrom, shareSchemas } from './share-schemas.ts'

const json = 'application/json'
const headers = {
  'X-Request-ID': {
    description: 'Request ID, which is in every log line about the request',
    ...ours,
    schema: { type: 'string' },
  },
  'Parley-Ignored': {
    description: 'Unknown request fields that were ignored, each percent-encoded',
    ...ours,
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Seconds to wait', ...ours, schema: { type: 'integer' } },
}
const header = (name: keyof typeof headers) => ({ [name]: { $ref: `#/components/headers/${name}` } })

/**
 * Completes a generated document: adds examples, headers and links, removes unused schemas, and names the parts of operations.
 *
 * `x-extension` is on the outermost operation, schema or field, and covers everything inside.
 */
export function complete(document: OpenApiDocument): OpenApiDocument {
  document.components.headers = headers
  // Otherwise they are in the load order of their modules.
  const byName = Object.entries(document.components.schemas).toSorted(([one], [other]) => (one < other ? -1 : 1))
  document.components.schemas = Object.fromEntries(byName)
  const byId = new Map(allOperations.map((operation) => [operation.id, operation]))
  for (const described of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    const operation = byId.get(described.operationId ?? '')
    tidyParameters(described, Object.values(document.components.securitySchemes))
    if (operation) addExamples(described, operation)
    if (operation?.body && described.requestBody) described.requestBody.required = !mayBeAbsent(operation.body)
    if (operation?.inInterface) describeLenience(described, document.components.schemas)
    const ok = described.responses['200']
    if (ok) ok.description = 'OK'
    if (ok && operation?.eventStream) describeEventStream(ok)
    const links = operation ? linksFrom(operation) : {}
    if (ok && Object.keys(links).length > 0) ok.links = links
    addHeaders(described)
  }
  const { schemas } = document.components
  for (const described of operationsOf(document)) markOnce(described)
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = markedOnce(schema)
  dropUnused(document)
  nameParts(document)
  openResponses(document)
  return document
}

/** Moves parts that several operations use to `components`. */
export function share(document: OpenApiDocument): OpenApiDocument {
  shareSchemas(document)
  extendResources(document)
  shareParameters(document)
  shareExamples(document)
  shareResponses(document)
  return document
}

/** Whether a request may have no body: no field is required, directly or by anyOf. */
function mayBeAbsent(body: z.ZodType): boolean {
  const { anyOf = [] } = (body.meta() ?? {}) as { anyOf?: { required?: string[] }[] }
  const needsSome = anyOf.length > 0 && anyOf.every(({ required = [] }) => required.length > 0)
  return body instanceof z.ZodObject && body.safeParse({}).success && !needsSome
}

function addHeaders({ responses }: DescribedOperation): void {
  for (const answer of Object.values(responses)) {
    answer.headers = { ...answer.headers, ...header('X-Request-ID') }
  }
  const { 429: tooMany } = responses
  if (tooMany) tooMany.headers = { ...tooMany.headers, ...header('Retry-After') }
}

/** Gives headers their usual names; drops default `required` values, and headers of security schemes. */
function tidyParameters(described: DescribedOperation, schemes: { name: string }[]): void {
  if (!described.parameters) return
  const authenticates = (name: string) => schemes.some((scheme) => scheme.name.toLowerCase() === name)
  described.parameters = described.parameters.filter((one) => one.in !== 'header' || !authenticates(one.name))
  for (const parameter of described.parameters) {
    if (parameter.required === false) delete parameter.required
    if (parameter.in !== 'header') continue
    parameter.name = headerNames.find((name) => name.toLowerCase() === parameter.name) ?? parameter.name
  }
}

function addExamples(described: DescribedOperation, { example, form }: Operation): void {
  const body = described.requestBody?.content[json]
  if (body && example?.body !== undefined) body.example = example.body
  const answer = described.responses['200']?.content?.[json]
  if (answer && example?.result !== undefined) {
    answer.example = form === 'bare' ? example.result : okEnvelope(example.result)
  }
  for (const parameter of described.parameters ?? []) {
    const value = parameter.in === 'query' ? example?.query?.[parameter.name] : undefined
    if (value !== undefined) parameter.example = value
  }
}

/** WHATWG HTML, "Server-sent events". */
function describeEventStream(ok: Response): void {
  const { cursor, event } = exampleFeedEvent
  const example = `id: ${cursor}\nevent: ${event}\ndata: ${JSON.stringify(exampleFeedEvent)}\n\n`
  const description = 'Server-Sent Events: `id` is a cursor, `event` the event name, `data` a FeedEvent'
  ok.content = { ...ok.content, 'text/event-stream': { schema: { type: 'string', description }, example } }
}

/** Operations of the interface accept more than the contract's strict schemas (packages/contracts/src/lenient.ts). */
function describeLenience(described: DescribedOperation, schemas: Record<string, JsonSchema>): void {
  const limit = described.parameters?.find((one) => one.in === 'query' && one.name === 'limit')
  if (limit) Object.assign(limit, lenientLimit(limit))
  const body = described.requestBody?.content[json]
  if (body?.schema) {
    for (const name of referredIn(body.schema)) schemas[name] = lenientBody(schemas[name] ?? {})
    body.schema = lenientBody(body.schema)
  }
  const ok = described.responses['200']
  if (ok) ok.headers = header('Parley-Ignored')
}

/** Marks an operation, or those of its fields that are extensions. */
function markOnce(described: DescribedOperation): void {
  const isOurs = described['x-extension'] === true
  described.parameters &&= described.parameters.map(({ 'x-extension': own, ...parameter }) => {
    const { 'x-extension': ofSchema, ...schema } = parameter.schema
    const isMarked = !isOurs && (own === true || ofSchema === true)
    return { ...parameter, schema, ...(isMarked && ours) }
  })
  for (const body of [described.requestBody, ...Object.values(described.responses)])
    for (const media of Object.values(body?.content ?? {})) {
      if (media.schema) media.schema = markedOnce(media.schema, isOurs)
    }
}

/** Schemas are registered for input and output; most are used in only one direction. */
function dropUnused(document: OpenApiDocument): void {
  const { schemas } = document.components
  const used = reachedFrom(schemas, { ...document.paths, ...document.webhooks })
  for (const name of Object.keys(schemas)) if (!used.has(name)) delete schemas[name]
}
