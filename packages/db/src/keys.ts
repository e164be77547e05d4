/**
 * One string that names something inside an app: the parts joined by NUL, which no ID can hold
 * (contracts/ids.ts), so two different lists of parts never give the same key.
 */
export function key(...parts: [string, string, ...string[]]): string {
  return parts.join('\0')
}

/** The range of the keys that `key(app, …)` makes. */
export function keyRange(app: string): { $gt: string; $lt: string } {
  return { $gt: `${app}\0`, $lt: `${app}\u0001` }
}

/**
 * The members or bans of a room, or of a thread: their `_id` begins with its key. The index is by `roomKey`; the range leads to their
 * shard.
 */
export function ofRoom(roomKey: string): { roomKey: string; _id: { $gt: string; $lt: string } } {
  return { roomKey, _id: keyRange(roomKey) }
}
