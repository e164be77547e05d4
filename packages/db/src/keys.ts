/**
 * One string that names something inside an app: the parts joined by NUL, which no ID can hold
 * (contracts/ids.ts), so two different lists of parts never give the same key.
 */
export function key(...parts: [string, string, ...string[]]): string {
  return parts.join('\0')
}

/** All keys that begin with these parts, as a filter on `_id`. */
export function keysBeginning(...parts: [string, ...string[]]): { $gte: string; $lt: string } {
  const prefix = parts.join('\0')
  return { $gte: `${prefix}\0`, $lt: `${prefix}\x01` }
}
