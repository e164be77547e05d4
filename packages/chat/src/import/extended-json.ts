import { isObject } from '@parley/contracts/free-json'

/** Fields with the app's own JSON, where text that looks like Extended JSON may be the user's. */
const free = new Set(['message', 'extParams', 'data'])

/**
 * Converts a line to plain JSON: MongoDB Extended JSON (v2, canonical and relaxed, as written by mongoexport) is
 * converted, and null fields are dropped. Free fields change only if the line has Extended JSON elsewhere.
 * @param nullable fields in which null is a value
 */
export function plainLine(json: unknown, nullable: ReadonlySet<string> = new Set()): unknown {
  if (!isObject(json)) return json
  const entries = Object.entries(json).filter(([name, value]) => value !== null || nullable.has(name))
  const isExtended = entries.some(([name, value]) => !free.has(name) && plain(value) !== value)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, free.has(name) && !isExtended ? value : plain(value)]),
  )
}

/** Returns the same value if it contains no Extended JSON. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(plain)
    return items.every((item, i) => item === value[i]) ? value : items
  }
  if (!isObject(value)) return value
  const [[name, inner] = ['', undefined], ...others] = Object.entries(value)
  const known = others.length === 0 ? ofType[name]?.(inner) : undefined
  if (known !== undefined) return known
  const entries = Object.entries(value).map(([field, item]) => [field, plain(item)] as const)
  return entries.every(([field, item]) => item === value[field]) ? value : Object.fromEntries(entries)
}

/** Keeps every digit, as in free-json.ts. */
function number(given: unknown): unknown {
  if (typeof given !== 'string' || !/^-?\d+(\.\d+)?$/.test(given)) return undefined
  return /^-?\d{16,}$/.test(given) && String(Number(given)) !== given ? JSON.rawJSON(given) : Number(given)
}

const ofType: Record<string, (given: unknown) => unknown> = {
  $oid: (given) => (typeof given === 'string' ? given : undefined),
  $uuid: (given) => (typeof given === 'string' ? given : undefined),
  $numberInt: number,
  $numberLong: number,
  $numberDouble: number,
  $numberDecimal: number,
  // An ISO-8601 time, or since version 2 {"$numberLong": milliseconds}.
  $date: (given) => (typeof given === 'string' || typeof given === 'number' ? given : plain(given)),
}
