import { isDatabaseAway } from '../connect.ts'

/**
 * Settles rooms together; when that fails and the database is not away, each by itself: one that cannot be settled holds
 * up no other.
 * @returns which are not settled, and why the last of them is not
 */
export async function eachApart<Room>(
  rooms: readonly Room[],
  settle: (some: readonly Room[]) => Promise<void>,
): Promise<{ failed: readonly Room[]; error?: unknown }> {
  try {
    await settle(rooms)
    return { failed: [] }
  } catch (error) {
    if (isDatabaseAway(error) || rooms.length < 2) return { failed: rooms, error }
  }
  const failed: Room[] = []
  let last: unknown
  for (const room of rooms) {
    const { error, failed: own } = await eachApart([room], settle)
    failed.push(...own)
    last = error ?? last
  }
  return { failed, ...(failed.length > 0 && { error: last }) }
}
