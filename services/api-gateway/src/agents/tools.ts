import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import type { AuthenticatedIntegrator } from '@parley/chat/access/caller'
import type { JsonSchema } from '@parley/contracts/documents/json-schema'
import { ApiError } from '@parley/contracts/errors'
import { isObject } from '@parley/contracts/free-json'
import type { Operation } from '@parley/contracts/operation'
import { allOperations } from '@parley/contracts/operations/all'
import { z } from 'zod'
import { lackingScopes } from '../requests/authenticate.ts'
import { maxUrlLength } from '../requests/refused-requests.ts'

/** The REST request of a tool call. */
export interface ToolRequest {
  method: Operation['method']
  url: string
  headers: Record<string, string>
  body?: unknown
}

type ParameterLocation = 'path' | 'query' | 'header'
/** Headers that tools accept as arguments; the others name users and devices, or request a stream. */
const takenHeaders: Record<string, string> = { 'idempotency-key': 'idempotencyKey' }

const operations = new Map(allOperations.filter(({ scope }) => scope).map((operation) => [operation.id, operation]))
const tools = new Map<string, Tool>()

/** The tools that a key may call, made from the contract. Write tools are listed only on request. */
export function toolsFor(key: AuthenticatedIntegrator['key'], withWrites: boolean): Tool[] {
  return [...operations.values()]
    .filter((operation) => lackingScopes(operation, key).length === 0 && (withWrites || isRead(operation)))
    .map(toolOf)
}

export function toolOperation(name: string): Operation | undefined {
  return operations.get(name)
}

/** Whether an operation changes nothing: POST /admin/search only reads. */
export function isRead({ scope }: Operation): boolean {
  return scope?.endsWith(':read') ?? false
}

/**
 * The REST request of a tool call. REST validates the values.
 * @throws ApiError INVALID_REQUEST naming an argument that is unknown, or missing from the path; URI_TOO_LONG
 */
export function toolRequest(operation: Operation, given: Record<string, unknown>): ToolRequest {
  const parameters = parametersOf(operation)
  for (const name of Object.keys(given)) {
    if (!parameters.has(name) && !(name === 'body' && operation.body)) {
      throw new ApiError('INVALID_REQUEST', `${name}: unknown argument of ${operation.id}`)
    }
  }
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  let url: string = operation.path
  for (const [name, { location, target }] of parameters) {
    const value = given[name]
    if (location === 'path') url = url.replace(`:${target}`, segment(name, value))
    else if (value === undefined || value === null) continue
    else if (location === 'query') query.append(target, textOf(name, value, isFilter(operation.query?.shape[target])))
    else headers[target] = textOf(name, value)
  }
  if (query.size > 0) url += `?${query.toString()}`
  if (url.length > maxUrlLength) throw new ApiError('URI_TOO_LONG')
  return {
    method: operation.method,
    url,
    headers,
    ...bodyOf(given['body']),
  }
}

/** Models may pass the body as JSON in a string. REST would refuse it without naming the argument. */
function bodyOf(body: unknown): Pick<ToolRequest, 'body'> {
  if (body === undefined || body === null) return {}
  if (!isObject(body)) throw new ApiError('INVALID_REQUEST', 'body: expected an object')
  return { body }
}

function toolOf(operation: Operation): Tool {
  const made = tools.get(operation.id) ?? makeTool(operation)
  tools.set(operation.id, made)
  return made
}

function makeTool(operation: Operation): Tool {
  const { id, method, path, summary, description, scope, params, query, headers, body } = operation
  const schemas = { path: params, query, header: headers }
  const properties: Record<string, z.ZodType> = {}
  const required: string[] = []
  for (const [name, { location, target }] of parametersOf(operation)) {
    const field = schemas[location]?.shape[target] as z.ZodType | undefined
    if (!field) continue
    properties[name] = field
    if (location === 'path' || !field.safeParse(undefined).success) required.push(name)
  }
  if (body) {
    properties['body'] = body
    if (!body.safeParse({}).success) required.push('body')
  }
  return {
    name: id,
    title: summary,
    description: [summary, description, `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}, scope ${scope}`]
      .flatMap((sentence) => (sentence === undefined ? [] : [sentence.replace(/\.$/, '')]))
      .join('. '),
    inputSchema: { ...inputSchema(z.object(properties)), required },
    annotations: {
      readOnlyHint: isRead(operation),
      destructiveHint: method === 'DELETE',
      idempotentHint: method !== 'POST',
      openWorldHint: false,
    },
  }
}

/** Fields with a default are optional here. */
function inputSchema(schema: z.ZodObject): Tool['inputSchema'] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  return { ...rest, type: 'object' }
}

/** The arguments of a tool besides `body`: path and query parameters, and some headers. */
function parametersOf({
  path,
  query,
  headers,
}: Operation): Map<string, { location: ParameterLocation; target: string }> {
  const ofPath = [...path.matchAll(/:(\w+)/g)].map(
    ([, name = '']) => [name, { location: 'path', target: name }] as const,
  )
  const ofQuery = Object.keys(query?.shape ?? {}).map((name) => [name, { location: 'query', target: name }] as const)
  const ofHeaders = Object.keys(headers?.shape ?? {}).flatMap((target) => {
    const name = takenHeaders[target]
    return name === undefined ? [] : [[name, { location: 'header', target }] as const]
  })
  return new Map<string, { location: ParameterLocation; target: string }>([...ofPath, ...ofQuery, ...ofHeaders])
}

/** Filters are JSON (contracts/src/query-filter.ts). */
function isFilter(schema: z.ZodType | undefined): boolean {
  return schema?.meta()?.['contentMediaType'] === 'application/json'
}

/** Refuses `.` and `..`, which libraries remove from paths even percent-encoded: another operation would be called. */
function segment(name: string, value: unknown): string {
  if (value === undefined || value === null || value === '')
    throw new ApiError('INVALID_REQUEST', `${name} is required`)
  const text = textOf(name, value)
  if (text === '.' || text === '..') throw new ApiError('INVALID_REQUEST', `${name}: "${text}" is no ID`)
  return encodeURIComponent(text.toWellFormed())
}

/** A parameter as text. @throws ApiError INVALID_REQUEST for a list or an object, unless it is a filter */
function textOf(name: string, value: unknown, isFilter = false): string {
  if (typeof value === 'string') return value.toWellFormed()
  if (!isFilter && (isObject(value) || Array.isArray(value))) {
    throw new ApiError('INVALID_REQUEST', `${name}: expected text, a number, true or false`)
  }
  return JSON.stringify(isObject(value) ? { ...value } : value)
}
