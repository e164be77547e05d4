import { ApiError } from '@parley/contracts/errors'
import { key } from '@parley/db/keys'
import type { UserFilter } from '@parley/db/users'
import { RE2JS } from 're2js'

/** Bounds of a filter: more is no question about users any more. */
const maxDepth = 8
const maxConditions = 100
const maxListed = 1_000
const maxPatternLength = 512

type Kind = 'text' | 'number' | 'date' | 'milliseconds' | 'boolean'
type Scalar = string | number | boolean | Date | null

const fields: Record<string, { stored: string; kind: Kind }> = {
  _id: { stored: 'id', kind: 'text' },
  id: { stored: 'id', kind: 'text' },
  nickname: { stored: 'nickname', kind: 'text' },
  email: { stored: 'email', kind: 'text' },
  description: { stored: 'description', kind: 'text' },
  isRobot: { stored: 'isRobot', kind: 'boolean' },
  lastLoginTimeMS: { stored: 'lastLoginTimeMS', kind: 'milliseconds' },
  createdAt: { stored: 'createdAt', kind: 'date' },
  updatedAt: { stored: 'updatedAt', kind: 'date' },
}
const comparisons = new Set(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte'])
const lists = new Set(['$in', '$nin'])
const typeNames = new Set(['double', 'string', 'object', 'array', 'bool', 'date', 'null', 'int', 'long', 'number'])
const regexFlags: Record<string, number> = { i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL }

/**
 * The filter `q` of GET /admin/clients as a filter of the users collection. Only what is listed here ever reaches the
 * database: `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`, `$regex` with `$options`, `$in`, `$nin`, `$exists`, `$type`,
 * `$and` and `$or`, on the fields above. Times are ISO-8601 or milliseconds.
 * @throws ApiError INVALID_QUERY naming the place
 */
export function parseUserFilter(app: string, q: string): UserFilter {
  let given: unknown
  try {
    given = JSON.parse(q)
  } catch (error) {
    throw new ApiError('INVALID_QUERY', `q: not valid JSON: ${(error as Error).message}`)
  }
  const budget = { conditions: 0 }
  return parseFilter(app, given, 'q', maxDepth, budget)
}

function parseFilter(
  app: string,
  given: unknown,
  at: string,
  depth: number,
  budget: { conditions: number },
): UserFilter {
  if (!isObject(given)) throw invalid(at, 'expected an object of conditions')
  if (depth === 0) throw invalid(at, `nested more than ${maxDepth} deep`)
  const all = Object.entries(given).map(([name, condition]): UserFilter => {
    if (++budget.conditions > maxConditions) throw invalid('q', `more than ${maxConditions} conditions`)
    const here = `${at}.${name}`
    if (name === '$and' || name === '$or') {
      if (!Array.isArray(condition) || condition.length === 0) throw invalid(here, 'expected a list of filters')
      return { [name]: condition.map((part, i) => parseFilter(app, part, `${here}[${i}]`, depth - 1, budget)) }
    }
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (!field) {
      const known = Object.keys(fields).join(', ')
      throw invalid(here, name.startsWith('$') ? 'this operator is not supported here' : `not one of ${known}`)
    }
    const parsed = parseCondition(field.kind, condition, here)
    return field.stored === 'id' ? onId(app, parsed) : { [field.stored]: parsed }
  })
  return all.length === 0 ? {} : { $and: all }
}

function parseCondition(kind: Kind, condition: unknown, at: string): Record<string, unknown> {
  if (!isObject(condition)) return { $eq: scalar(kind, condition, at) }
  const operators = Object.entries(condition)
  if (operators.length === 0) throw invalid(at, 'expected a value or operators')
  if ('$options' in condition && !('$regex' in condition)) throw invalid(`${at}.$options`, 'only beside $regex')
  return Object.fromEntries(
    operators.map(([operator, operand]) => [operator, parseOperand(kind, operator, operand, condition, at)]),
  )
}

function parseOperand(kind: Kind, operator: string, operand: unknown, condition: object, at: string): unknown {
  const here = `${at}.${operator}`
  if (comparisons.has(operator)) return scalar(kind, operand, here)
  if (lists.has(operator)) {
    if (!Array.isArray(operand) || operand.length > maxListed) {
      throw invalid(here, `expected a list of at most ${maxListed} values`)
    }
    return operand.map((value, i) => scalar(kind, value, `${here}[${i}]`))
  }
  switch (operator) {
    case '$exists':
      if (typeof operand !== 'boolean') throw invalid(here, 'expected true or false')
      return operand
    case '$type':
      if (typeof operand !== 'string' || !typeNames.has(operand)) {
        throw invalid(here, `expected one of ${[...typeNames].join(', ')}`)
      }
      return operand
    case '$regex':
      checkPattern(operand, (condition as { $options?: unknown }).$options ?? '', at)
      return operand
    case '$options':
      return operand
    default:
      throw invalid(here, 'this operator is not supported')
  }
}

/**
 * RE2 knows no backtracking, so what it can read has no look-around and no back-references. The database's own engine
 * does backtrack: what still runs away there is stopped by the time limit of the query.
 */
function checkPattern(pattern: unknown, options: unknown, at: string): void {
  if (typeof pattern !== 'string' || pattern.length > maxPatternLength || pattern.includes('\0')) {
    throw invalid(`${at}.$regex`, `expected a pattern of at most ${maxPatternLength} characters`)
  }
  if (typeof options !== 'string' || !/^[ims]*$/.test(options)) {
    throw invalid(`${at}.$options`, 'expected any of the letters i, m and s')
  }
  let flags = 0
  for (const option of options) flags |= regexFlags[option] ?? 0
  try {
    RE2JS.compile(pattern, flags)
  } catch (error) {
    throw invalid(`${at}.$regex`, `not a pattern that RE2 reads: ${(error as Error).message}`)
  }
}

function scalar(kind: Kind, value: unknown, at: string): Scalar {
  if (value === null) return null
  if (kind === 'date' || kind === 'milliseconds') {
    const date = typeof value === 'number' || typeof value === 'string' ? new Date(value) : undefined
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

/** What compares whole IDs goes by the primary key. */
function onId(app: string, condition: Record<string, unknown>): UserFilter {
  const operators = Object.entries(condition)
  if (!operators.every(([, operand]) => typeof operand === 'string' || isStrings(operand))) return { id: condition }
  if (!operators.every(([operator]) => comparisons.has(operator) || lists.has(operator))) return { id: condition }
  const toKey = (id: string) => key(app, id)
  const byKey = operators.map(([operator, operand]) => [
    operator,
    isStrings(operand) ? operand.map(toKey) : toKey(operand as string),
  ])
  return { _id: Object.fromEntries(byKey) }
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(at: string, expected: string): ApiError {
  return new ApiError('INVALID_QUERY', `${at}: ${expected}`)
}
