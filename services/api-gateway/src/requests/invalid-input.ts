import { ApiError, type ErrorCode } from '@parley/contracts/errors'
import { explainIssue, type Issue } from '@parley/contracts/explain-issue'
import { unwrapped } from '@parley/contracts/free-json'
import type { Operation } from '@parley/contracts/operation'
import type { FastifySchemaCompiler } from 'fastify'
import { z } from 'zod'

/** Thrown for Fastify if input fails its schema; keeps the exact path of each issue. */
export class InvalidInput extends Error {
  override name = 'InvalidInput'
  readonly issues: readonly Issue[]
  /** Set by Fastify: body, querystring, params or headers. */
  validationContext?: string

  constructor(issues: readonly Issue[]) {
    super('invalid input')
    this.issues = issues
  }
}

/** Checks requests against the contract's schemas. */
export const validateInput: FastifySchemaCompiler<z.ZodType> = ({ schema }) => {
  return (data) => {
    const parsed = schema.safeParse(data)
    return parsed.success ? { value: parsed.data } : { error: new InvalidInput(parsed.error.issues) }
  }
}

/** The error for the caller, with the field and what is expected. */
export function explainInvalidInput(operation: Operation, invalid: InvalidInput, body: unknown): ApiError {
  const [issue] = invalid.issues
  if (!issue) return new ApiError('INVALID_REQUEST')
  const missing =
    invalid.validationContext === 'body' &&
    issue.path.length > 0 &&
    (valueAt(body, issue.path) === undefined ||
      (valueAt(body, issue.path) === null && isRequired(operation.body, issue.path)))
  const message = missing ? `${issue.path.map(String).join('.')} is required` : explainIssue(issue)
  switch (invalid.validationContext) {
    case 'querystring':
      return new ApiError(operation.invalid?.query ?? 'INVALID_QUERY', message)
    case 'params':
      return new ApiError(operation.invalid?.params ?? 'INVALID_REQUEST', message)
    case 'body':
      return new ApiError(bodyCode(operation, issue, missing, body), message)
    default:
      return new ApiError('INVALID_REQUEST', message)
  }
}

function bodyCode(operation: Operation, { code, path }: Issue, missing: boolean, body: unknown): ErrorCode {
  // In the assign-token form even a missing field is INVALID_REQUEST (docs/reference/users.md#create-update-issue-a-token).
  if (operation.isBare?.(body)) return 'INVALID_REQUEST'
  if (missing) return operation.missing ?? 'MISSING_PARAMETER'
  const isNoObject = code === 'invalid_type' && path.length === 0
  return operation.invalid?.body ?? (isNoObject ? 'INVALID_BODY' : 'INVALID_REQUEST')
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (inner as Record<PropertyKey, unknown> | null | undefined)?.[name],
    value,
  )
}

/** Whether a path names a required field. */
function isRequired(schema: z.core.$ZodType | undefined, [name, ...rest]: readonly PropertyKey[]): boolean {
  const inner = schema && unwrapped(schema)
  if (inner instanceof z.ZodArray && typeof name === 'number') return isRequired(inner.element, rest)
  if (!(inner instanceof z.ZodObject) || typeof name !== 'string' || !Object.hasOwn(inner.shape, name)) return false
  const field: z.core.$ZodType = inner.shape[name]
  return rest.length === 0 ? field._zod.optin === undefined : isRequired(field, rest)
}
