import { ApiError } from '@parley/contracts/errors'
import { isObject, unfitJson, withDoubles } from '@parley/contracts/free-json'
import { type ClientEmit, clientEmits, type EmitContract } from '@parley/contracts/socket/client-emits'
import { z } from 'zod'

/** The nesting depth of the arguments, inside the list and the argument's object. */
const containers = 2
/** Maximum length of a field's name in an error, since any name can be sent. */
const maxOfName = 64

export type EmitArguments<E extends ClientEmit> = z.output<(typeof clientEmits)[E]['args']>

/**
 * Checks the arguments of an emit against the contract. As in REST, null is the same as leaving an optional field out. A
 * missing object counts as an empty one, and further arguments are ignored.
 * @throws ApiError INVALID_BODY for arguments that are nested too deep, and for binary data; MISSING_PARAMETER naming the field; INVALID_REQUEST, or the emit's own code, for a wrong value
 */
export function readArguments<E extends ClientEmit>(emit: E, args: readonly unknown[]): EmitArguments<E> {
  const contract: EmitContract = clientEmits[emit]
  const unfit = unfitArguments(args)
  if (unfit) throw new ApiError('INVALID_BODY', unfit)
  const given = contract.args.def.items.map((item, i) => withoutNulls(item as z.ZodType, args[i]))
  const parsed = contract.args.safeParse(given)
  if (parsed.success) return parsed.data as EmitArguments<E>
  // A number kept in its notation, such as 60.0, where it has a meaning for us.
  const values = withDoubles(given, contract.args) as unknown[]
  const again = contract.args.safeParse(values)
  if (again.success) return again.data as EmitArguments<E>
  throw explain(contract, values, again.error)
}

/** The reason to refuse arguments of any emit, with the field if one is at fault. */
function unfitArguments(args: readonly unknown[]): string | undefined {
  const unfit = unfitJson(args, containers)
  if (unfit === undefined) return undefined
  const fields = args.flatMap((arg) => (isPlain(arg) ? Object.entries(arg) : []))
  const [field] = fields.find(([, value]) => unfitJson(value, 0) !== undefined) ?? []
  return field === undefined ? unfit : `${field.slice(0, maxOfName)}: ${unfit}`
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value)
}

function withoutNulls(argument: z.ZodType, value: unknown): unknown {
  const object = argument instanceof z.ZodDefault ? argument.unwrap() : argument
  if (!(object instanceof z.ZodObject)) return value ?? undefined
  if (value === null || value === undefined) return {}
  if (!isObject(value)) return value
  const isLeftOut = ([name, field]: [string, unknown]) =>
    field === null && Object.hasOwn(object.shape, name) && isOptional(object.shape[name] as z.ZodType)
  return Object.fromEntries(Object.entries(value).filter((entry) => !isLeftOut(entry)))
}

function isOptional(field: z.ZodType): boolean {
  return field.safeParse(undefined).success
}

function explain({ names, invalid = 'INVALID_REQUEST' }: EmitContract, given: unknown[], error: z.ZodError): ApiError {
  const issue = error.issues[0] as z.core.$ZodIssue
  const [argument, ...inside] = issue.path
  const name = names?.[Number(argument)]
  const field = (...more: string[]) => [name, ...inside.map(String), ...more].filter(Boolean).join('.')
  if (issue.code === 'unrecognized_keys') return new ApiError(invalid, `${field(issue.keys[0] ?? '')}: unknown field`)
  const value = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)[key], given)
  if (value === undefined || value === null) return new ApiError('MISSING_PARAMETER', `${field()} is required`)
  const expected = issue.message.replace(/^Invalid input: /, '')
  return new ApiError(invalid, field() === '' ? expected : `${field()}: ${expected}`)
}
