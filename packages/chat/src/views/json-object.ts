interface Entry {
  name: string
  json: string
}

/** An object from values stored as JSON text by name; a name like `__proto__` is an ordinary one. */
export function jsonObject(entries: readonly Entry[]): Record<string, unknown> {
  return JSON.parse(jsonObjectText(entries))
}

/** The same as JSON text. */
export function jsonObjectText(entries: readonly Entry[]): string {
  return `{${entries.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join(',')}}`
}
