import { z } from 'zod'
import { namedBy } from '../ids.ts'
import type { Operation } from '../operation.ts'
import { allOperations } from '../operations/all.ts'
import { type Given, given } from '../operations/links.ts'

/** A Link Object of OpenAPI 3.1. */
export interface Link {
  operationId: string
  parameters?: Record<string, string>
  requestBody?: Record<string, unknown>
}

/** Links to the operations that may follow, by operation ID, with the values to pass. */
export function linksFrom(operation: Operation): Record<string, Link> {
  const from = given[operation.id]
  if (!from) return {}
  const targets = allOperations.filter(({ id }) => id !== operation.id && (from.to?.includes(id) ?? true))
  const links = targets.map((target) => [target.id, linkTo(target, from)] as const)
  return Object.fromEntries(links.filter(([, link]) => link !== undefined)) as Record<string, Link>
}

/** Undefined if the target does not use the subject, or required values are missing. */
function linkTo(target: Operation, { names, about }: Given): Link | undefined {
  const path = valuesFor(target.params?.shape, names)
  const query = valuesFor(requiredOf(target.query), names)
  const body = valuesFor(target.body instanceof z.ZodObject ? target.body.shape : {}, names)
  const isAbout = (values: Record<string, unknown>) =>
    about !== undefined && JSON.stringify(values).includes(JSON.stringify(names[about]))
  const isWhole = [path, query, body].every(({ lacks }) => !lacks)
  // A path that names the subject is always worth following.
  const follows = about === undefined ? isWhole : isAbout(path.values) || (isWhole && isAbout(body.values))
  if (!follows) return undefined
  const parameters = { ...path.values, ...query.values } as Record<string, string>
  return {
    operationId: target.id,
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...(Object.keys(body.values).length > 0 && { requestBody: body.values }),
  }
}

/** Values for the fields that identify a resource, and whether a required one is missing. */
function valuesFor(
  shape: Record<string, z.core.$ZodType> | undefined,
  names: Given['names'],
): { values: Record<string, unknown>; lacks: boolean } {
  const values: Record<string, unknown> = {}
  let lacks = false
  for (const [name, field] of Object.entries(shape ?? {})) {
    const { inner, isOptional } = unwrap(field)
    const isList = inner instanceof z.ZodArray
    const named = namedBy(isList ? inner.element : inner)
    if (named === undefined) continue
    const value = names[named]
    if (value !== undefined) values[name] = isList ? [value] : value
    else lacks ||= !isOptional
  }
  return { values, lacks }
}

function requiredOf(query: z.ZodObject | undefined): Record<string, z.core.$ZodType> {
  return Object.fromEntries(Object.entries(query?.shape ?? {}).filter(([, field]) => !unwrap(field).isOptional))
}

function unwrap(field: z.core.$ZodType): { inner: z.core.$ZodType; isOptional: boolean } {
  if (!(field instanceof z.ZodOptional || field instanceof z.ZodDefault)) return { inner: field, isOptional: false }
  return { inner: unwrap(field.def.innerType).inner, isOptional: true }
}
