import { type Schema as JsonSchema, Validator } from '@cfworker/json-schema'
import { configSchemas } from '../../../generated/config-schemas.ts'

/** The parts of a JSON Schema that docs/config.schema.json uses. */
interface Schema {
  type?: string
  enum?: readonly unknown[]
  description?: string
  default?: unknown
  properties?: Record<string, Schema>
  required?: readonly string[]
  items?: Schema
  anyOf?: readonly Schema[]
  minimum?: number
  maximum?: number
}

/** A field of a configuration value. */
export interface Field {
  /** As in errors, with `[]` for the elements of a list; empty for the value itself. */
  path: string
  isRequired: boolean
  type: string
  about: string
}

/** Above this, a bound is only the limit of exact integers. */
const largestBound = 1_000_000_000_000

/** The fields that a configuration key's value can have; empty if its value is free. */
export function fieldsOf(key: string): Field[] {
  const schema = schemaOf(key)
  return schema ? fieldsIn(schema, '', true) : []
}

/** The first problem of a value by the schema of its key, with the field; null removes the value, so it has none. */
export function schemaProblem(key: string, value: unknown): string | undefined {
  const schema = schemaOf(key)
  if (!schema || value === null) return undefined
  const { errors } = new Validator(schema as JsonSchema, '2020-12').validate(value)
  const [deepest] = errors.toSorted((a, b) => depth(b.instanceLocation) - depth(a.instanceLocation))
  if (!deepest) return undefined
  const path = deepest.instanceLocation.slice(2).replaceAll('/', '.')
  const text = deepest.keyword === 'false' ? 'unknown field' : deepest.error
  return path === '' ? text : `${path}: ${text}`
}

const depth = (location: string) => location.split('/').length

const schemaOf = (key: string) => (Object.hasOwn(configSchemas, key) ? (configSchemas[key] as Schema) : undefined)

function fieldsIn({ anyOf, ...schema }: Schema, path: string, isRequired: boolean): Field[] {
  if (anyOf) return merged(anyOf.map((each) => fieldsIn({ ...schema, ...each }, path, isRequired)))
  const { items, properties = {}, required = [] } = schema
  if (items?.properties ?? items?.anyOf) return fieldsIn(items ?? {}, `${path}[]`, isRequired)
  const inner = Object.entries(properties).flatMap(([name, each]) =>
    fieldsIn(each, path === '' ? name : `${path}.${name}`, required.includes(name)),
  )
  return inner.length > 0 ? inner : [{ path, isRequired, type: typeOf(schema), about: aboutOf(schema) }]
}

/** The fields of alternatives: a field is required if each of them requires it. */
function merged(alternatives: readonly Field[][]): Field[] {
  const all = Map.groupBy(alternatives.flat(), ({ path }) => path)
  return [...all].map(([path, fields]) => ({
    path,
    isRequired: fields.length === alternatives.length && fields.every((field) => field.isRequired),
    type: [...new Set(fields.map(({ type }) => type))].join(' | '),
    about: fields.find(({ about }) => about !== '')?.about ?? '',
  }))
}

function typeOf({ type = '', enum: values, items, minimum, maximum = largestBound }: Schema): string {
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (items) return `${typeOf(items)}[]`
  if (minimum === undefined) return type
  return maximum < largestBound ? `${type}, ${minimum} to ${maximum}` : `${type}, ${minimum} or more`
}

function aboutOf({ description = '', default: value }: Schema): string {
  const byDefault = value === undefined || typeof value === 'object' ? '' : `Default: ${JSON.stringify(value)}.`
  return [description, byDefault].filter(Boolean).join(description.endsWith('.') ? ' ' : '. ')
}
