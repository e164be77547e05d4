import type { JsonSchema } from '@parley/contracts/documents/json-schema'
import type { Link } from '@parley/contracts/documents/links'

export interface Media {
  schema?: JsonSchema
  example?: unknown
}
/** A response of an operation, or a reference to one. */
export interface Response {
  $ref?: string
  description?: string
  headers?: Record<string, unknown>
  links?: Record<string, Link>
  content?: Record<string, Media>
}
export interface Parameter {
  name: string
  in: string
  description?: string
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
    responses?: Record<string, Response>
  }
}
