import { ApiError } from '@parley/contracts/errors'
import type { Comparison, Query, Scalar } from '@parley/db/query-filter'
import { QueryTooSlow } from '@parley/db/server-errors'
import { RE2JS } from 're2js'
import { patternSize } from './pattern-size.ts'
import { isoDate } from './read-time.ts'

/** How long a filter may keep the database busy. */
export const filterTimeMS = 2_000
const maxDepth = 8
const maxConditions = 100
const maxListed = 1_000
const maxPatternLength = 512
/** Total size of all patterns with their repetitions expanded. Compiling this much takes some 10 ms. */
const maxPatternSize = 2_000

/** The fields that a filter may name, and the parts read so far. */
interface Budget {
  readonly fields: FilterFields
  conditions: number
  patternSize: number
}

type Kind = 'text' | 'number' | 'date' | 'milliseconds' | 'boolean'

/** The fields that a list's filter may name, with the kind of value. If `isZeroIfNone`, 0 means none. */
export type FilterFields = Readonly<Record<string, { field: string; kind: Kind; isZeroIfNone?: true }>>
const comparisons: ReadonlyMap<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte'> = new Map([
  ['$eq', 'eq'],
  ['$ne', 'ne'],
  ['$gt', 'gt'],
  ['$gte', 'gte'],
  ['$lt', 'lt'],
  ['$lte', 'lte'],
] as const)
const lists: ReadonlyMap<string, 'in' | 'nin'> = new Map([
  ['$in', 'in'],
  ['$nin', 'nin'],
] as const)
/** BSON type names by number, which `$type` accepts too. */
const numberedTypes: Record<number, string> = {
  1: 'double',
  2: 'string',
  3: 'object',
  4: 'array',
  8: 'bool',
  9: 'date',
  10: 'null',
  16: 'int',
  18: 'long',
}
const typeNames = new Set([...Object.values(numberedTypes), 'number'])
const regexFlags: Record<string, number> = { i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL }

/**
 * Parses the filter `q` of GET /admin/clients and GET /admin/rooms. Only these operators reach the database, on the
 * given fields: `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`, `$regex` with `$options`, `$in`, `$nin`, `$exists`,
 * `$type`, `$and` and `$or`. Times are ISO-8601 or milliseconds, alone or as `$date`.
 * @throws ApiError INVALID_QUERY naming the position
 */
export function parseQuery(q: string, fields: FilterFields): Query {
  let given: unknown
  try {
    given = JSON.parse(q)
  } catch (error) {
    throw new ApiError('INVALID_QUERY', `q: not valid JSON: ${(error as Error).message}`)
  }
  return parseFilter(given, 'q', maxDepth, { fields, conditions: 0, patternSize: 0 })
}

function parseFilter(given: unknown, at: string, depth: number, budget: Budget): Query {
  if (!isObject(given)) throw invalid(at, 'expected an object of conditions')
  if (depth === 0) throw invalid(at, `nested more than ${maxDepth} deep`)
  const all = Object.entries(given).map(([name, condition]): Query => {
    if (++budget.conditions > maxConditions) throw invalid('q', `more than ${maxConditions} conditions`)
    const here = `${at}.${name}`
    if (name === '$and' || name === '$or') {
      if (!Array.isArray(condition) || condition.length === 0) throw invalid(here, 'expected a list of filters')
      const parts = condition.map((part, i) => parseFilter(part, `${here}[${i}]`, depth - 1, budget))
      return name === '$and' ? { all: parts } : { any: parts }
    }
    const { fields } = budget
    const known = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (!known) {
      const names = Object.keys(fields).join(', ')
      throw invalid(here, name.startsWith('$') ? 'this operator is not supported here' : `not one of ${names}`)
    }
    const holds = parseCondition(known.kind, condition, here, budget)
    return known.isZeroIfNone ? withZeroAsNone(known.field, holds) : { field: known.field, holds }
  })
  return { all }
}

/** The comparisons of a field that stores 0 for no value, as MongoDB makes them of a missing field. */
function withZeroAsNone(field: string, holds: readonly Comparison[]): Query {
  const toStored = (value: Scalar) => value ?? 0
  return {
    all: holds.map((one): Query => {
      switch (one.operator) {
        case 'exists':
          return { field, holds: [{ operator: one.value ? 'gt' : 'eq', value: 0 }] }
        case 'eq':
        case 'ne':
          return { field, holds: [{ ...one, value: toStored(one.value) }] }
        case 'in':
        case 'nin':
          return { field, holds: [{ ...one, value: one.value.map(toStored) }] }
        default:
          return { all: [one, { operator: 'gt', value: 0 } as const].map((hold) => ({ field, holds: [hold] })) }
      }
    }),
  }
}

function parseCondition(kind: Kind, condition: unknown, at: string, budget: Budget): Comparison[] {
  if (!isObject(condition) || '$date' in condition) return [{ operator: 'eq', value: scalar(kind, condition, at) }]
  const operators = Object.entries(condition)
  if (operators.length === 0) throw invalid(at, 'expected a value or operators')
  if ('$options' in condition && !('$regex' in condition)) throw invalid(`${at}.$options`, 'only with $regex')
  return operators.flatMap(([name, operand]) =>
    name === '$options' ? [] : [parseComparison(kind, { name, operand, options: condition['$options'] }, at, budget)],
  )
}

function parseComparison(
  kind: Kind,
  { name, operand, options }: { name: string; operand: unknown; options: unknown },
  at: string,
  budget: Budget,
): Comparison {
  const here = `${at}.${name}`
  const comparison = comparisons.get(name)
  if (comparison) return { operator: comparison, value: scalar(kind, operand, here) }
  const list = lists.get(name)
  if (list) {
    if (!Array.isArray(operand) || operand.length > maxListed) {
      throw invalid(here, `expected a list of at most ${maxListed} values`)
    }
    return { operator: list, value: operand.map((value, i) => scalar(kind, value, `${here}[${i}]`)) }
  }
  switch (name) {
    case '$exists':
      if (typeof operand !== 'boolean') throw invalid(here, 'expected true or false')
      return { operator: 'exists', value: operand }
    case '$type':
      return { operator: 'type', value: toList(operand).map((type) => typeName(type, here)) }
    case '$regex':
      return { operator: 'regex', ...readPattern(operand, options ?? '', at, budget) }
    default:
      throw invalid(here, 'this operator is not supported')
  }
}

function toList(operand: unknown): unknown[] {
  return Array.isArray(operand) && operand.length > 0 ? operand : [operand]
}

function typeName(given: unknown, at: string): string {
  const name = typeof given === 'number' ? numberedTypes[given] : given
  if (typeof name === 'string' && typeNames.has(name)) return name
  throw invalid(at, `expected one of ${[...typeNames].join(', ')}`)
}

/**
 * Validates a pattern with RE2, which does not backtrack and so has no look-around and no back-references. The
 * database's engine does backtrack: there the time limit of the query stops runaway patterns.
 */
function readPattern(
  pattern: unknown,
  options: unknown,
  at: string,
  budget: Budget,
): { value: string; options: string } {
  if (typeof pattern !== 'string' || pattern.length > maxPatternLength || pattern.includes('\0')) {
    throw invalid(`${at}.$regex`, `expected a pattern of at most ${maxPatternLength} characters`)
  }
  if (typeof options !== 'string' || !/^[ims]*$/.test(options)) {
    throw invalid(`${at}.$options`, 'expected any of the letters i, m and s')
  }
  budget.patternSize += patternSize(pattern)
  if (budget.patternSize > maxPatternSize) {
    throw invalid(`${at}.$regex`, `too large: at most ${maxPatternSize} with repetitions expanded, over all patterns`)
  }
  let flags = 0
  for (const option of options) flags |= regexFlags[option] ?? 0
  try {
    RE2JS.compile(pattern, flags)
  } catch (error) {
    throw invalid(`${at}.$regex`, `not a valid RE2 pattern: ${(error as Error).message}`)
  }
  return { value: pattern, options }
}

function scalar(kind: Kind, value: unknown, at: string): Scalar {
  if (value === null) return null
  // Compared as a number, since a bound may lie beyond all dates or between two milliseconds.
  if (kind === 'milliseconds' && typeof value === 'number' && Number.isFinite(value)) return value
  if (kind === 'date' || kind === 'milliseconds') {
    // A time alone, or as MongoDB writes it in JSON.
    const time = isObject(value) ? value['$date'] : value
    const date = typeof time === 'number' ? new Date(time) : typeof time === 'string' ? isoDate(time) : undefined
    if (!date || Number.isNaN(date.getTime())) {
      throw invalid(at, 'expected a time, ISO-8601 or milliseconds')
    }
    return kind === 'date' ? date : date.getTime()
  }
  const wanted = kind === 'text' ? 'string' : kind
  // oxlint-disable-next-line valid-typeof -- `wanted` is one of the three kinds that typeof names
  if (typeof value !== wanted) throw invalid(at, `expected a ${wanted}`)
  return value as Scalar
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Turns a query timeout into INVALID_QUERY and rethrows other errors unchanged. @throws ApiError INVALID_QUERY if it
 * took longer than `filterTimeMS`
 */
export function refuseSlowFilter(error: unknown): never {
  if (!(error instanceof QueryTooSlow)) throw error
  throw new ApiError('INVALID_QUERY', 'q: the filter takes too long; narrow it', { cause: error })
}

function invalid(at: string, expected: string): ApiError {
  return new ApiError('INVALID_QUERY', `${at}: ${expected}`)
}
