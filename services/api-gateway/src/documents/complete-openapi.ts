import type { JsonSchema } from '@parley/contracts/documents/json-schema'
import { linksFrom } from '@parley/contracts/documents/links'
import { markInside } from '@parley/contracts/documents/mark-extensions'
import { okEnvelope } from '@parley/contracts/envelope'
import { headerNames } from '@parley/contracts/headers'
import type { Operation } from '@parley/contracts/operation'
import { allOperations } from '@parley/contracts/operations/all'
import { ours } from '@parley/contracts/ours'
import { exampleFeedEvent } from '@parley/contracts/resources/feed-event'
import { z } from 'zod'
import { lenientBody, lenientLimit, referredIn } from '../requests/lenient-schema.ts'
import { nameParts } from './name-parts.ts'
import type { DescribedOperation, OpenApiDocument, Response } from './openapi-shapes.ts'

const json = 'application/json'
const requestIdHeader = {
  'X-Request-ID': {
    description: 'Names the request in every log line of its way',
    ...ours,
    schema: { type: 'string' },
  },
}
const ignoredHeader = {
  'Parley-Ignored': {
    description: 'Fields of the request that are not known and were ignored, each percent-encoded',
    ...ours,
    schema: { type: 'string' },
  },
}

/** Completes a generated document: adds examples, Retry-After and marks, removes unused schemas, and names the parts of operations. */
export function complete(document: OpenApiDocument): OpenApiDocument {
  document.components.headers = requestIdHeader
  const byId = new Map(allOperations.map((operation) => [operation.id, operation]))
  for (const described of operationsOf(document.paths)) {
    const operation = byId.get(described.operationId ?? '')
    nameHeaders(described, Object.values(document.components.securitySchemes))
    if (operation) addExamples(described, operation)
    if (operation?.body && described.requestBody) described.requestBody.required = !mayBeAbsent(operation.body)
    if (operation && !operation.extension) describeLenience(described, document.components.schemas)
    const ok = described.responses['200']
    if (ok) ok.description = 'OK'
    if (ok && operation?.eventStream) describeEventStream(ok)
    const links = operation ? linksFrom(operation) : {}
    if (ok && Object.keys(links).length > 0) ok.links = links
    addHeaders(described)
  }
  for (const described of operationsOf({ ...document.paths, ...document.webhooks })) markExtensions(described)
  for (const schema of Object.values(document.components.schemas)) markInside(schema)
  dropUnused(document)
  nameParts(document)
  return document
}

function operationsOf(paths: OpenApiDocument['paths']): DescribedOperation[] {
  return Object.values(paths).flatMap((path) => Object.values(path))
}

/** Whether a request may have no body: no field is required, alone or (by anyOf) as one of several. */
function mayBeAbsent(body: z.ZodType): boolean {
  const { anyOf = [] } = (body.meta() ?? {}) as { anyOf?: { required?: string[] }[] }
  const needsSome = anyOf.length > 0 && anyOf.every(({ required = [] }) => required.length > 0)
  return body instanceof z.ZodObject && body.safeParse({}).success && !needsSome
}

function addHeaders({ responses }: DescribedOperation): void {
  for (const answer of Object.values(responses)) {
    answer.headers = { ...answer.headers, 'X-Request-ID': { $ref: '#/components/headers/X-Request-ID' } }
  }
  const { 429: tooMany } = responses
  if (!tooMany) return
  tooMany.headers = {
    ...tooMany.headers,
    'Retry-After': { description: 'Seconds to wait', ...ours, schema: { type: 'integer' } },
  }
}

/** Gives headers their usual names, and leaves out those that a security scheme describes. */
function nameHeaders(described: DescribedOperation, schemes: { name: string }[]): void {
  if (!described.parameters) return
  const authenticates = (name: string) => schemes.some((scheme) => scheme.name.toLowerCase() === name)
  described.parameters = described.parameters.filter((one) => one.in !== 'header' || !authenticates(one.name))
  for (const parameter of described.parameters) {
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
  const description = 'Server-Sent Events: the ID is a cursor, the event its name, the data a FeedEvent'
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
  if (ok) ok.headers = ignoredHeader
}

/** Marks everything inside an operation or field that is an extension. */
function markExtensions(described: DescribedOperation): void {
  const isOurs = described['x-extension'] === true
  for (const parameter of described.parameters ?? []) {
    if (isOurs || parameter.schema['x-extension'] === true) parameter['x-extension'] = true
  }
  const body = described.requestBody?.content[json]?.schema
  if (body) markInside(body, isOurs)
  const answer = described.responses['200']?.content?.[json]?.schema
  const { result = answer } = (answer?.['properties'] ?? {}) as { result?: JsonSchema }
  if (result) markInside(result, isOurs)
}

/** Schemas are registered for input and for output; most are used as one of them only. */
function dropUnused(document: OpenApiDocument): void {
  const { schemas } = document.components
  const used = new Set<string>()
  const follow = (names: string[]) => {
    for (const name of names.filter((one) => !used.has(one))) {
      used.add(name)
      follow(referredIn(schemas[name] ?? {}))
    }
  }
  follow(referredIn({ ...document.paths, ...document.webhooks }))
  for (const name of Object.keys(schemas)) if (!used.has(name)) delete schemas[name]
}
