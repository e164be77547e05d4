/** Whether MongoDB allows a database of this name. */
export function isDatabaseName(name: string): boolean {
  return /^[^/\\. "$\0]{1,63}$/.test(name)
}
