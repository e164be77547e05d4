import { randomBytes } from 'node:crypto'
import { z } from 'zod'

// Not in TypeScript's library yet: https://github.com/tc39/proposal-json-parse-with-source
declare global {
  interface JSON {
    rawJSON(text: string): object
    isRawJSON(value: unknown): boolean
  }
}

/** Nesting limit of a value. Some JSON parsers fail on deeper ones. */
const maxJsonDepth = 100

/**
 * The reason to refuse JSON from a client, or undefined. Enclosing containers do not count: each field of a body may hold
 * a value `maxJsonDepth` deep.
 * @param containers levels around the free values: 1 for the object of a body
 */
export function unfitJson(value: unknown, containers = 1): string | undefined {
  return unfit(value, maxJsonDepth + containers)
}

function unfit(value: unknown, levels: number): string | undefined {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return undefined
  if (ArrayBuffer.isView(value)) return 'binary data is no JSON'
  if (levels === 0) return `nested more than ${maxJsonDepth} deep`
  for (const inner of Object.values(value)) {
    const reason = unfit(inner, levels - 1)
    if (reason !== undefined) return reason
  }
  return undefined
}

/**
 * Matches before a number that a double may change: one with many digits, a point or an exponent, or -0.
 */
const changing = /(?:^|[[:,\s])(?=-?(?:\d{16}|\d{1,15}[.eE])|-0)/g
const wholeNumber = /-?\d[\d.eE+-]*/y

/** Prefix of a preserved number. Random, so that clients cannot forge it. */
const mark = randomBytes(9).toString('base64')

/**
 * Parses JSON and preserves its numbers as written: one that a double would change (12345678901234567890, 1.0, 1e400)
 * becomes a raw JSON value, which JSON.stringify writes verbatim.
 * @param schema of the target: numbers in typed fields become doubles
 * @throws SyntaxError
 */
export function readJson(text: string, schema?: z.core.$ZodType): unknown {
  const plain: unknown = JSON.parse(text)
  const marked = markNumbers(text)
  if (marked === text) return plain
  const kept = keepMarked(JSON.parse(marked))
  return schema ? withDoubles(kept, schema) : kept
}

/** Marks the numbers that a double would change. Text without candidates costs one search and stays as it is. */
export function markNumbers(text: string): string {
  let marked = ''
  let done = 0
  let looked = 0
  let isInside = false
  changing.lastIndex = 0
  while (changing.test(text)) {
    const begin = changing.lastIndex
    for (; looked < begin; looked++) {
      const character = text.charCodeAt(looked)
      if (character === quote) isInside = !isInside
      else if (character === backslash && isInside) looked++
    }
    if (begin === 0) changing.lastIndex = 1
    if (isInside) continue
    wholeNumber.lastIndex = begin
    const [number = ''] = wholeNumber.exec(text) ?? []
    if (String(Number(number)) === number) continue
    marked += `${text.slice(done, begin)}"${mark}${number}"`
    done = begin + number.length
  }
  return done === 0 ? text : marked + text.slice(done)
}
const [quote, backslash] = [0x22, 0x5c]

/** Turns the marked strings in parsed JSON into raw JSON numbers. */
export function keepMarked<T>(value: T): T {
  // Every caller refuses deeper nesting.
  return unfitJson(value, 10) === undefined ? (keep(value) as T) : value
}

function keep(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(mark) ? JSON.rawJSON(value.slice(mark.length)) : value
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = keep(value[i])
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      const kept = keep(inner)
      // Assigning to `__proto__` would set the prototype.
      if (kept !== inner) Object.defineProperty(value, name, { value: kept })
    }
  }
  return value
}

/** Converts raw numbers to doubles wherever the schema has a type. Free JSON keeps them as written. */
export function withDoubles(value: unknown, schema: z.core.$ZodType = z.never()): unknown {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodAny || inner instanceof z.ZodUnknown) return value
  if (inner instanceof z.ZodUnion) {
    const all = inner.options.map((option) => withDoubles(value, option))
    return all.find((each, i) => z.safeParse(inner.options[i] ?? z.never(), each).success) ?? all[0]
  }
  if (JSON.isRawJSON(value)) return Number(JSON.stringify(value))
  if (Array.isArray(value)) {
    const at = (i: number) => (inner instanceof z.ZodTuple ? inner.def.items[i] : undefined)
    return value.map((each, i) => withDoubles(each, inner instanceof z.ZodArray ? inner.element : at(i)))
  }
  if (typeof value !== 'object' || value === null) return value
  const def = inner instanceof z.ZodObject ? inner.def : undefined
  const fields = new Map<string, z.core.$ZodType>(Object.entries(def?.shape ?? {}))
  const fieldAt = (name: string) => fields.get(name) ?? def?.catchall
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withDoubles(field, fieldAt(name))]))
}

/** The schema inside optional and default wrappers. */
export function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional || schema instanceof z.ZodDefault
  return isWrapped ? unwrapped(schema.unwrap()) : schema
}

/** Whether a JSON value is an object, not a list or a raw number of readJson. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
}
