import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { AuditSubject } from './resources/audit-entry.ts'
import type { Scope } from './scopes.ts'
import type { tags } from './tags.ts'

/**
 * The callers of an operation, by their headers:
 * - `admin`: IM-API-KEY. `platform`: IM-API-KEY with the platform permission.
 * - `client`: IM-CLIENT-KEY and IM-Authorization. `client-with-id`: the same and IM-CLIENT-ID.
 * - `client-or-admin`: either set; IM-API-KEY decides where both are sent.
 * - `operator`: the session cookie of an operator, who may also call what takes an API key (docs/reference/console.md).
 * - `anyone`: none.
 */
export type Access = KeyAccess | 'client' | 'client-with-id' | 'operator' | 'anyone'

/** That of operations that an API key may call. */
type KeyAccess = 'admin' | 'platform' | 'client-or-admin'

/** One HTTP operation of the contract: routes, validation, types and OpenAPI are all made from it. */
export type Operation = OperationParts & ForCallers

/** The callers of an operation; for API keys the scope that they need, which users do not. */
type ForCallers = { access: Exclude<Access, KeyAccess>; scope?: undefined } | { access: KeyAccess; scope: Scope }

interface OperationParts {
  /** operationId of the OpenAPI document. */
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With `:name` for path parameters. */
  path: string
  tag: keyof typeof tags
  summary: string
  description?: string
  /** `bare`: neither results nor errors have the RC/RM envelope. */
  form: 'envelope' | 'bare'
  params?: z.ZodObject
  query?: z.ZodObject
  /** Headers beside those of `access`; a loose object, lower-case names. */
  headers?: z.ZodObject
  body?: z.ZodType
  /** Whether the response to this body is bare although the form is `envelope`. */
  isBare?: (body: unknown) => boolean
  /** The `result` (form `envelope`), or the whole response (form `bare`). */
  result: z.ZodType
  /** The whole response in those modes of an operation of form `envelope` that have no envelope. */
  bareResult?: z.ZodType
  /** Whether the response is Server-Sent Events for `Accept: text/event-stream`. */
  eventStream?: true
  /** The `result` of a response with status 202: the work goes on without the request. */
  accepted?: z.ZodType
  /** The `result` of a response with status 202 to a body with `sendAtMS`: nothing is sent yet. */
  scheduled?: z.ZodType
  /** Its own errors. The gateway adds those of every operation (401, 429, 500, 503, …). */
  errors: readonly ErrorCode[]
  /** The code for input that fails its schema; by default INVALID_QUERY for query, INVALID_REQUEST elsewhere. */
  invalid?: { params?: ErrorCode; query?: ErrorCode; body?: ErrorCode }
  /** The code for a required body field that is absent; by default MISSING_PARAMETER. */
  missing?: ErrorCode
  /**
   * The subject of a change that the audit log records when an API key or operator makes it; undefined for input that changes nothing
   * recorded. Absent where nothing is recorded: reads, and sends of messages and pushes (docs/reference/audit.md).
   */
  audit?: (input: AuditedInput) => AuditSubject | undefined
  /** True where the response has texts of conversations: an operator gives a reason, which is audited. */
  conversations?: true
  /** True where it goes beyond the interface: `x-extension` in the OpenAPI document. */
  extension?: true
  /** An example of the body and of the result, shown in the OpenAPI document and checked against the schemas. */
  example?: { body?: unknown; query?: Record<string, unknown>; result?: unknown }
}

/** Of any operation: what its schemas have let through. */
export interface AuditedInput {
  params: Record<string, string>
  body: Record<string, unknown>
}

/** The subject that a path names. */
export function auditsParam(kind: AuditSubject['kind'], name: string): (input: AuditedInput) => AuditSubject {
  return ({ params }) => ({ kind, id: params[name] ?? '' })
}

/** The subject that a field of the body names; without an ID where Parley makes it. */
export function auditsField(kind: AuditSubject['kind'], name: string): (input: AuditedInput) => AuditSubject {
  return ({ body }) => ({ kind, id: textOf(body[name]) })
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Declares an operation and keeps its exact type. */
export function operation<const T extends Operation>(spec: T): T {
  return spec
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined

/** The validated input of the operation's handler. */
export interface Input<O extends Operation> {
  params: Parsed<O['params']>
  query: Parsed<O['query']>
  headers: Parsed<O['headers']>
  body: Parsed<O['body']>
}

/** The return type of an operation's handler. */
export type Result<O extends Operation> = z.output<O['result']>
