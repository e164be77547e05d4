import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'

/**
 * Who may call an operation, by which headers:
 * - `admin`: IM-API-KEY. `platform`: IM-API-KEY with the platform permission.
 * - `client`: IM-CLIENT-KEY and IM-Authorization. `client-with-id`: the same and IM-CLIENT-ID.
 * - `client-or-admin`: either set; IM-API-KEY decides where both are sent.
 */
export type Access = 'admin' | 'platform' | 'client' | 'client-with-id' | 'client-or-admin'

/** One HTTP operation of the contract: routes, validation, types and OpenAPI are all made from it. */
export interface Operation {
  /** operationId of the OpenAPI document. */
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With `:name` for path parameters. */
  path: string
  tag: string
  summary: string
  description?: string
  access: Access
  /** `bare`: neither the answer nor errors have the RC/RM envelope. */
  form: 'envelope' | 'bare'
  params?: z.ZodObject
  query?: z.ZodObject
  /** Headers beside those of `access`; a loose object, lower-case names. */
  headers?: z.ZodObject
  body?: z.ZodType
  /** Whether a request is one of those whose answers are bare although the form is `envelope`. */
  isBare?: (body: unknown) => boolean
  /** What stands in `result` (form `envelope`), or the whole answer (form `bare`). */
  result: z.ZodType
  /** A whole answer without envelope that an operation of form `envelope` gives in some of its modes. */
  bareResult?: z.ZodType
  /** The errors of its own; those that every operation has (401, 429, 500, 503, …) are added by the gateway. */
  errors: readonly ErrorCode[]
  /** The code for input that fails its schema; by default INVALID_QUERY for query, INVALID_REQUEST elsewhere. */
  invalid?: { params?: ErrorCode; query?: ErrorCode; body?: ErrorCode }
  /** The code for a required body field that is absent; by default MISSING_PARAMETER. */
  missing?: ErrorCode
  /** True where decisions.md adds it and interface.md does not have it: `x-extension` in the OpenAPI document. */
  extension?: true
  /** An example of the body and of the result, shown in the OpenAPI document and checked against the schemas. */
  example?: { body?: unknown; query?: Record<string, unknown>; result?: unknown }
}

/** Declares an operation and keeps its exact type. */
export function operation<const T extends Operation>(spec: T): T {
  return spec
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined

/** What a handler of the operation is given, already validated. */
export interface Input<O extends Operation> {
  params: Parsed<O['params']>
  query: Parsed<O['query']>
  headers: Parsed<O['headers']>
  body: Parsed<O['body']>
}

/** What a handler of the operation answers. */
export type Result<O extends Operation> = z.output<O['result']>
