/**
 * One string that names something inside an app: the parts joined by NUL, which no ID can hold
 * (contracts/ids.ts), so two different lists of parts never give the same key.
 */
export function key(...parts: [string, string, ...string[]]): string {
  return parts.join('\0')
}
