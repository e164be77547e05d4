import { z } from 'zod'
import { isObject, unwrapped } from './free-json.ts'

/**
 * Operations of the interface are lenient (docs/reference/README.md#conventions): they ignore unknown fields and treat
 * `null` as an absent optional field. `value` is then checked by the strict schema.
 */
export interface Taken {
  value: unknown
  /** The paths of the ignored fields, such as `payload.colour`. */
  ignored: string[]
}

/** For a body. Without a schema every field is ignored. */
export function takeBody(schema: z.ZodType | undefined, given: unknown): Taken {
  if (!schema) return { value: undefined, ignored: isObject(given) ? Object.keys(given) : [] }
  const ignored: string[] = []
  return { value: take(schema, given, '', ignored), ignored }
}

/** For query parameters, which are strings. A `limit` above the maximum is lowered to it. */
export function takeQuery(schema: z.ZodObject | undefined, given: Record<string, unknown>): Taken {
  if (Object.keys(given).length === 0) return { value: given, ignored: [] }
  const shape = schema?.shape ?? {}
  const known = Object.entries(given).filter(([name]) => Object.hasOwn(shape, name))
  const value = known.flatMap(([name, text]) => {
    const number = numberIn(shape[name])
    const max = number?.maxValue
    const isOver = name === 'limit' && typeof max === 'number' && /^\d+$/.test(String(text)) && Number(text) > max
    return [[name, isOver ? String(max) : text]]
  })
  const ignored = Object.keys(given).filter((name) => !Object.hasOwn(shape, name))
  return { value: Object.fromEntries(value), ignored }
}

function take(schema: z.core.$ZodType, given: unknown, at: string, ignored: string[]): unknown {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodObject && isObject(given)) return takeFields(inner, given, at, ignored)
  if (inner instanceof z.ZodArray && Array.isArray(given) && unwrapped(inner.element) instanceof z.ZodObject) {
    return given.map((element, i) => take(inner.element, element, `${at}.${i}`, ignored))
  }
  if (inner instanceof z.ZodUnion && isObject(given)) {
    const [only, another] = inner.options.filter((option) => option instanceof z.ZodObject)
    if (only && !another) return takeFields(only, given, at, ignored)
  }
  return given
}

function takeFields(schema: z.ZodObject, given: object, at: string, ignored: string[]): unknown {
  if (isTakenWhole(schema, given)) return given
  const { shape } = schema
  const { catchall } = schema.def
  const takesAny = catchall !== undefined && !(catchall instanceof z.ZodNever)
  const fields = Object.entries(given).flatMap(([name, value]) => {
    const here = at === '' ? name : `${at}.${name}`
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (field) return isLeftOut(field, value) ? [] : [[name, take(field, value, here, ignored)]]
    if (takesAny) return [[name, value]]
    ignored.push(here)
    return []
  })
  return Object.fromEntries(fields)
}

/** The fields of a schema without nested objects, in which nothing can be ignored. */
const flatFields = new WeakMap<z.ZodObject, Set<string>>()

/** Fast path: whether there is nothing to ignore or leave out. */
function isTakenWhole(schema: z.ZodObject, given: object): boolean {
  let flat = flatFields.get(schema)
  if (!flat) {
    flat = new Set(Object.entries(schema.shape).flatMap(([name, field]) => (isFlat(field) ? [name] : [])))
    flatFields.set(schema, flat)
  }
  for (const [name, value] of Object.entries(given)) if (value === null || !flat.has(name)) return false
  return true
}

function isFlat(field: z.core.$ZodType): boolean {
  const inner = unwrapped(field)
  return !(inner instanceof z.ZodObject || inner instanceof z.ZodArray || inner instanceof z.ZodUnion)
}

function isLeftOut(field: z.core.$ZodType, value: unknown): boolean {
  return value === null && field._zod.optin !== undefined && !z.safeParse(field, null).success
}

function numberIn(schema: z.core.$ZodType | undefined): z.ZodNumber | undefined {
  const inner = schema && unwrapped(schema)
  return inner instanceof z.ZodNumber ? inner : undefined
}
