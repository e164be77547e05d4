import type { Document } from 'mongodb'
import { key } from './keys.ts'

/** A list's filter: all or any of several conditions, or comparisons of one field. `id` is the ID in `key(app, id)`. */
export type Query = { all: Query[] } | { any: Query[] } | { field: string; holds: Comparison[] }

export type Scalar = string | number | boolean | Date | null

export type Comparison =
  | { operator: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte'; value: Scalar }
  | { operator: 'in' | 'nin'; value: Scalar[] }
  | { operator: 'exists'; value: boolean }
  /** Names of BSON types, such as `string`. */
  | { operator: 'type'; value: string[] }
  /** `options` is a subset of `ims`. */
  | { operator: 'regex'; value: string; options: string }

/** Translates a query on an app's documents to a MongoDB filter. */
export function toFilter(app: string, query: Query): Document {
  if ('all' in query) return query.all.length === 0 ? {} : { $and: query.all.map((part) => toFilter(app, part)) }
  if ('any' in query) return { $or: query.any.map((part) => toFilter(app, part)) }
  const { field, holds } = query
  const byKey = field === 'id' ? comparedKeys(app, holds) : undefined
  return byKey ? { _id: condition(byKey) } : { [field]: condition(holds) }
}

function condition(holds: readonly Comparison[]): Record<string, unknown> {
  return Object.fromEntries(
    holds.flatMap((one): [string, unknown][] =>
      one.operator === 'regex'
        ? [
            ['$regex', one.value],
            ['$options', one.options],
          ]
        : [[`$${one.operator}`, one.value]],
    ),
  )
}

/** Translates comparisons of whole IDs to `_id`, to use its index; undefined if any is of another kind. */
function comparedKeys(app: string, holds: readonly Comparison[]): Comparison[] | undefined {
  const byKey = holds.flatMap((one): Comparison[] => {
    if (one.operator === 'in' || one.operator === 'nin') {
      return isStrings(one.value) ? [{ ...one, value: one.value.map((id) => key(app, id)) }] : []
    }
    const isOther = one.operator === 'exists' || one.operator === 'type' || one.operator === 'regex'
    return isOther || typeof one.value !== 'string' ? [] : [{ ...one, value: key(app, one.value) }]
  })
  return byKey.length === holds.length ? byKey : undefined
}

function isStrings(values: readonly Scalar[]): values is string[] {
  return values.every((value) => typeof value === 'string')
}
