import { ApiError } from '@parley/contracts/errors'
import { takeBody, takeQuery } from '@parley/contracts/lenient'
import type { Operation } from '@parley/contracts/operation'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'

/** Maximum number of ignored fields named in the header, and maximum characters of each. */
const maxNamed = 20
const maxNameLength = 128
/** Many clients and proxies refuse response headers of more than a few KiB. */
const maxHeaderLength = 1_024

/**
 * Prepares a request's body and query for the schemas of its operation: removes the fields that a lenient operation
 * ignores. Names them, and unknown query parameters of any operation, in the response header `Parley-Ignored`.
 */
export function takeInput(app: FastifyInstance): void {
  app.addHook('preValidation', (request, reply, done) => {
    try {
      takeInputOf(request, reply)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
}

function takeInputOf(request: FastifyRequest, reply: FastifyReply): void {
  const { operation } = request.routeOptions.config
  if (!operation) return
  const isLeftOut = request.body === undefined || (request.body === null && operation.inInterface)
  // So that the error names the missing field.
  if (isLeftOut && operation.body instanceof z.ZodObject) request.body = {}
  request.query = withoutEmpty(request.query as Record<string, unknown>)
  requireDecimals(operation, request.query as Record<string, unknown>)
  const ignored = operation.inInterface
    ? takeLeniently(request, operation)
    : takeQuery(operation.query, request.query as Record<string, unknown>).ignored
  if (ignored.length > 0) void reply.header('parley-ignored', ignoredHeader(ignored))
}

/** Drops empty parameters, which count as absent. */
function withoutEmpty(query: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(query)
  return entries.some(([, value]) => value === '')
    ? Object.fromEntries(entries.filter(([, value]) => value !== ''))
    : query
}

/**
 * Refuses numbers in a query that are not written in decimal, or given twice. JavaScript would also read
 * `0x10`, `1e3`, blanks and `Infinity` as numbers.
 *
 * @throws ApiError INVALID_QUERY, or the operation's own code for a bad query
 */
function requireDecimals({ query, invalid }: Operation, given: Record<string, unknown>): void {
  for (const [name, schema] of Object.entries(query?.shape ?? {})) {
    const text = given[name]
    if (text === undefined || text === '' || !isNumber(schema)) continue
    if (typeof text !== 'string' || !/^-?\d+(\.\d+)?$/.test(text)) {
      throw new ApiError(invalid?.query ?? 'INVALID_QUERY', `${name}: expected a whole number`)
    }
  }
}

function isNumber(schema: z.core.$ZodType): boolean {
  let inner = schema
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodNullable) {
    inner = inner.unwrap()
  }
  return inner instanceof z.ZodNumber
}

function takeLeniently(request: FastifyRequest, { body, query }: { body?: z.ZodType; query?: z.ZodObject }): string[] {
  const takenQuery = takeQuery(query, request.query as Record<string, unknown>)
  const takenBody = takeBody(body, request.body)
  request.query = takenQuery.value
  request.body = takenBody.value
  return [...takenQuery.ignored, ...takenBody.ignored]
}

/** A list of percent-encoded names, ending in `*` if some are left out. */
function ignoredHeader(names: string[]): string {
  const encoded = names
    .slice(0, maxNamed)
    .map((name) => encodeURIComponent(name.slice(0, maxNameLength).toWellFormed()))
  let length = 0
  const tooLong = encoded.findIndex((name) => (length += name.length + ', '.length) > maxHeaderLength)
  const shown = tooLong === -1 ? encoded : encoded.slice(0, tooLong)
  return [...shown, ...(names.length > shown.length ? ['*'] : [])].join(', ')
}
