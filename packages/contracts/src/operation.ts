import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { AuditSubject } from './resources/audit-entry.ts'
import type { Scope } from './scopes.ts'
import type { tags } from './tags.ts'

/**
 * The credentials of an operation:
 * - `admin`: IM-API-KEY. `platform`: IM-API-KEY with the platform permission.
 * - `client`: IM-CLIENT-KEY and IM-Authorization. `client-with-id`: the same and IM-CLIENT-ID.
 * - `client-or-admin`: either; IM-API-KEY wins if both are sent.
 * - `operator`: an operator's session cookie, which operations for API keys also accept (docs/reference/console.md).
 * - `anyone`: none.
 */
export type Access = KeyAccess | 'client' | 'client-with-id' | 'operator' | 'anyone'

/** Access that includes API keys. */
type KeyAccess = 'admin' | 'platform' | 'client-or-admin'

/** One HTTP operation of the contract: the source of its route, validation, types and OpenAPI. */
export type Operation = Route & OperationParts & ForCallers

/** The access of an operation, with the scope that API keys need. */
type ForCallers = { access: Exclude<Access, KeyAccess>; scope?: undefined } | { access: KeyAccess; scope: Scope }

interface Route {
  /** operationId of the OpenAPI document. */
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With `:name` for path parameters. */
  path: string
}

interface OperationParts {
  tag: keyof typeof tags
  summary: string
  description?: string
  /** True if the interface defines it. Every other operation is an extension: `x-extension` in the OpenAPI document. */
  inInterface?: true
  /** `bare`: neither results nor errors have the RC/RM envelope. */
  form?: 'bare'
  params?: z.ZodObject
  query?: z.ZodObject
  /** Headers besides those of `access`, in lower case; a loose object. */
  headers?: z.ZodObject
  body?: z.ZodType
  /** Whether the response to this body is bare although the form is not. */
  isBare?: (body: unknown) => boolean
  /** The `result` in the envelope, or the whole response (form `bare`). */
  result: z.ZodType
  /** The response where `isBare` applies. */
  bareResult?: z.ZodType
  /** Whether the response is Server-Sent Events for `Accept: text/event-stream`. */
  eventStream?: true
  /** The `result` of a response with status 202: the work continues in the background. */
  accepted?: z.ZodType
  /** The `result` of a response with status 202 to a body with `sendAtMS`: nothing is sent yet. */
  scheduled?: z.ZodType
  /**
   * Scopes by the kind of what the path names; one of its kind is enough. Any of them opens the operation, whose handler
   * then checks the kind.
   */
  scopesByKind?: Readonly<Record<string, readonly Scope[]>>
  /** Errors specific to the operation. The gateway adds the common ones (401, 429, 500, 503, …). */
  errors?: readonly ErrorCode[]
  /** Error code of input that fails its schema. Default: INVALID_QUERY for query, INVALID_REQUEST elsewhere. */
  invalid?: { params?: ErrorCode; query?: ErrorCode; body?: ErrorCode }
  /** Error code of a missing required body field. Default: MISSING_PARAMETER. */
  missing?: ErrorCode
  /**
   * The subject that the audit log records when an API key or operator makes the change; undefined for input that is not
   * recorded. Absent for operations that are never recorded: reads, and sends of messages and pushes
   * (docs/reference/audit.md).
   */
  audit?: (input: AuditedInput) => AuditSubject | undefined
  /** Scopes that some input needs besides `scope`: those of the operation with the same effect. Users need none. */
  scopesFor?: (input: AuditedInput) => readonly Scope[]
  /** True if the response contains message texts or quotes: operators must give a reason, which is audited. */
  conversations?: true
  /** An example of the body and of the result, shown in the OpenAPI document and checked against the schemas. */
  example?: { body?: unknown; query?: Record<string, unknown>; result?: unknown }
}

/** The validated input of any operation. */
export interface AuditedInput {
  params: Record<string, string>
  body: Record<string, unknown>
}

/** The subject named by a path parameter. */
export function auditsParam(kind: AuditSubject['kind'], name: string): (input: AuditedInput) => AuditSubject {
  return ({ params }) => ({ kind, id: params[name] ?? '' })
}

/** The subject named by a body field; the ID is empty if Parley generates it. */
export function auditsField(kind: AuditSubject['kind'], name: string): (input: AuditedInput) => AuditSubject {
  return ({ body }) => ({ kind, id: textOf(body[name]) })
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Declares an operation, such as `operation('getMe', 'GET /me', …)`, and keeps its exact type. */
export function operation<
  const Id extends string,
  const Method extends Route['method'],
  const Path extends `/${string}`,
  const Parts extends OperationParts & ForCallers,
>(id: Id, route: `${Method} ${Path}`, parts: Parts): { id: Id; method: Method; path: Path } & Parts {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of `route` names both
  const [method, path] = route.split(' ') as [Method, Path]
  return { id, method, path, ...parts }
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
