/** Joins parts by NUL, which no ID can contain (contracts/ids.ts), so different parts never give the same key. */
export function key(...parts: [string, string, ...string[]]): string {
  return parts.join('\0')
}

export interface AppUser {
  app: string
  user: string
}

/** The range of all keys of the form `key(prefix, …)`. */
export function keyRange(prefix: string): { $gt: string; $lt: string } {
  return { $gt: `${prefix}\0`, $lt: `${prefix}\u0001` }
}

export function idsOf(documents: readonly { _id: string }[]): string[] {
  return documents.map(({ _id }) => _id)
}

/**
 * Matches the members or bans of a room or thread: their `_id` begins with its key. `roomKey` selects the index, the
 * `_id` range the shard.
 */
export function ofRoom(roomKey: string): { roomKey: string; _id: { $gt: string; $lt: string } } {
  return { roomKey, _id: keyRange(roomKey) }
}
