import type { Result } from '@parley/contracts/operation'
import type { listAllRooms } from '@parley/contracts/operations/admin/rooms'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { roomFields } from './room.ts'

/** A room as listed for an API key (docs/reference/resources.md#listedroom). */
export function toListedRoom(doc: RoomDoc): Result<typeof listAllRooms>['data'][number] {
  return { ...roomFields(doc), ...messageCounts(doc) }
}

/** Fields of a room that only API keys see. */
export function messageCounts({
  seq,
  goneUpToSeq = 0,
  lastMessageAtMS,
}: Pick<RoomDoc, 'seq' | 'goneUpToSeq' | 'lastMessageAtMS'>) {
  return { messageCount: seq - goneUpToSeq, ...(lastMessageAtMS > 0 && { lastMessageTimeMS: lastMessageAtMS }) }
}

/** The role of a member according to the room's `owner` and `managers`. */
export function roleOf(
  { owner, managers }: Pick<RoomDoc, 'owner' | 'managers'>,
  user: string,
): 'owner' | 'manager' | 'member' {
  return owner === user ? 'owner' : managers.includes(user) ? 'manager' : 'member'
}
