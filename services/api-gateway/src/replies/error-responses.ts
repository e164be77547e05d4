import { bareError, errorEnvelope } from '@parley/contracts/envelope'
import { type ErrorCode, errorCatalogue } from '@parley/contracts/errors'
import { unwrapped } from '@parley/contracts/free-json'
import type { Operation } from '@parley/contracts/operation'
import { z } from 'zod'

/** Cache: most operations share these schemas, and creating them per operation takes half of a gateway's startup. */
const cache = new Map<string, z.ZodType>()

/** Codes are in catalogue order, so that operations with the same codes share a response. */
const ranks = new Map(Object.keys(errorCatalogue).map((code, rank) => [code, rank]))

/** The error responses of an operation by status, including the common ones. */
export function errorResponses(operation: Operation): Record<number, z.ZodType> {
  const byStatus = Map.groupBy(errorCodes(operation), (code) => errorCatalogue[code].status)
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, responseOf(operation, codes)]))
}

/** Every code that the operation may return. */
export function errorCodes(operation: Operation): ErrorCode[] {
  const { access, form, isBare, query, body, params, headers, invalid, errors = [], missing } = operation
  const bare: ErrorCode[] =
    form === 'bare' ? ['UNAUTHORIZED'] : isBare ? ['UNAUTHORIZED', 'INVALID_API_KEY'] : ['INVALID_API_KEY']
  const isForKeys = access === 'admin' || access === 'platform' || access === 'client-or-admin'
  const keys: ErrorCode[] = isForKeys ? [...bare, 'INVALID_SESSION'] : []
  const sessions: ErrorCode[] = access === 'operator' ? ['INVALID_SESSION', 'PERMISSION_DENIED'] : []
  const tokens: ErrorCode[] = access.startsWith('client') ? ['INVALID_CLIENT_KEY', 'INVALID_TOKEN'] : []
  const codes: ErrorCode[] = [
    ...keys,
    ...tokens,
    ...sessions,
    ...(operation.conversations ? (['MISSING_PARAMETER', 'INVALID_REQUEST'] as const) : []),
    ...(keys.length > 0 ? (['PERMISSION_DENIED'] as const) : []),
    ...(query && !isTolerated(query) ? [invalid?.query ?? 'INVALID_QUERY'] : []),
    ...(access === 'client-with-id' ? (['MISSING_PARAMETER'] as const) : []),
    ...(headers && mayBeInvalid(headers) ? (['INVALID_REQUEST'] as const) : []),
    ...(params ? [invalid?.params ?? 'INVALID_REQUEST'] : []),
    ...(body ? [invalid?.body ?? 'INVALID_REQUEST'] : []),
    ...(body && hasRequiredField(body) ? [missing ?? 'MISSING_PARAMETER'] : []),
    ...(operation.method === 'GET' ? [] : (['INVALID_BODY', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)),
    ...errors,
    'TOO_MANY_REQUESTS',
    'INTERNAL_ERROR',
    'SERVICE_UNAVAILABLE',
    'OVERLOADED',
  ]
  return [...new Set(codes)].toSorted((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0))
}

/** Whether parameters may have any value. */
function isTolerated({ shape }: z.ZodObject): boolean {
  return Object.values(shape).every((field) => field instanceof z.ZodOptional && field.unwrap() instanceof z.ZodAny)
}

/** Whether a header can be invalid. */
function mayBeInvalid({ shape }: z.ZodObject): boolean {
  return Object.values(shape).some((field) => {
    const inner = unwrapped(field)
    return !(inner instanceof z.ZodString) || (inner.def.checks ?? []).length > 0
  })
}

/** Whether an object, or one inside it, has a required field. */
function hasRequiredField(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return hasRequiredField(schema.unwrap())
  if (schema instanceof z.ZodArray) return hasRequiredField(schema.element)
  if (!(schema instanceof z.ZodObject)) return false
  return Object.values(schema.shape).some(
    (field: z.core.$ZodType) => field._zod.optin === undefined || hasRequiredField(field),
  )
}

function responseOf(operation: Operation, codes: ErrorCode[]): z.ZodType {
  const key = JSON.stringify([operation.form, operation.isBare !== undefined, codes])
  const schema = cache.get(key) ?? newResponse(operation, codes)
  cache.set(key, schema)
  return schema
}

function newResponse({ form, isBare }: Operation, codes: ErrorCode[]): z.ZodType {
  const description = codes.map((code) => `${code}: ${errorCatalogue[code].when}`).join('; ')
  if (form === 'bare') return bareError(codes).describe(description)
  const inEnvelope = errorEnvelope(codes)
  return (isBare ? z.union([inEnvelope, bareError(codes)]) : inEnvelope).describe(description)
}
