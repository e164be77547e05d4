import type { JsonSchema } from '@parley/contracts/documents/json-schema'
import type { Link } from '@parley/contracts/documents/links'
import type { Operation } from '@parley/contracts/operation'
import { allOperations } from '@parley/contracts/operations/all'

export interface Media {
  schema?: JsonSchema
  example?: unknown
  examples?: Record<string, { $ref: string }>
}
/** A response of an operation, or a reference to one. */
export interface Response {
  $ref?: string
  description?: string
  headers?: Record<string, unknown>
  links?: Record<string, Link>
  content?: Record<string, Media>
}
/** A parameter of an operation, or a reference to one. */
export interface Parameter {
  $ref?: string
  name: string
  in: string
  description?: string
  required?: boolean
  schema: JsonSchema
  example?: unknown
  'x-extension'?: true
}
export interface DescribedOperation {
  operationId?: string
  tags?: string[]
  summary?: string
  'x-extension'?: true
  requestBody?: { required?: boolean; content: Record<string, Media> }
  parameters?: Parameter[]
  responses: Record<string, Response>
}
/** The parts of an OpenAPI 3.1 document that are completed here. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, DescribedOperation>>
  webhooks: Record<string, Record<string, DescribedOperation>>
  components: {
    schemas: Record<string, JsonSchema>
    securitySchemes: Record<string, { name: string }>
    headers?: Record<string, unknown>
    parameters?: Record<string, Parameter>
    examples?: Record<string, { value: unknown }>
    responses?: Record<string, Response>
  }
}

const patterns = [...Map.groupBy(allOperations, ({ path }) => path)].map(([path, operations]) => ({
  pattern: new RegExp(`^${path.replace(/\/$/, '').replaceAll(/:\w+/g, '[^/]+')}/?$`),
  operations,
}))

/** The operations at a URL's path, of any method: for errors before the request has a route. */
export function operationsAt(url: string): Operation[] {
  const path = pathOf(url)
  return patterns.filter(({ pattern }) => pattern.test(path)).flatMap(({ operations }) => operations)
}

/** The path of a URL, which may be absolute (RFC 9112, section 3.2.2). */
export function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/]*/i, '').replace(/[?#].*$/s, '')
}
