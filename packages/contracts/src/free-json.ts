/** How deep a value may be nested. Some JSON readers break on deeper ones. */
const maxJsonDepth = 100

/**
 * The reason to refuse JSON from outside; undefined when it is accepted. Containers around the free value do not count:
 * a body is an object of fields whose values may each be `maxJsonDepth` deep.
 * @param containers levels around the free values: 1 for the object that a body is
 */
export function unfitJson(value: unknown, containers = 1): string | undefined {
  return unfit(value, maxJsonDepth + containers)
}

function unfit(value: unknown, levels: number): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'a number is too large'
  if (typeof value !== 'object' || value === null) return undefined
  if (ArrayBuffer.isView(value)) return 'binary data is no JSON'
  if (levels === 0) return `nested more than ${maxJsonDepth} deep`
  for (const inner of Object.values(value)) {
    const reason = unfit(inner, levels - 1)
    if (reason !== undefined) return reason
  }
  return undefined
}

/** Field names that a stored object cannot have: the database driver or JavaScript gives them a meaning. */
const reservedNames = new Set(['_bsontype', '__proto__'])

/** Why a JSON object cannot be stored as it is; undefined when it can. Its depth has been checked. */
export function unstorable(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, inner] of Object.entries(value)) {
    if (reservedNames.has(name) || name.includes('\0')) return `${JSON.stringify(name)} cannot be the name of a field`
    const reason = unstorable(inner)
    if (reason !== undefined) return reason
  }
  return undefined
}
