/** One object from values that are kept as JSON text by name; a name like `__proto__` is an ordinary one. */
export function jsonObject(entries: readonly { name: string; json: string }[]): Record<string, unknown> {
  return JSON.parse(`{${entries.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join(',')}}`)
}
