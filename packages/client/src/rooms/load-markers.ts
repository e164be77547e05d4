import type { UserCalls } from '../calls/user-calls.ts'
import type { Deliveries } from './deliveries.ts'
import type { Readers } from './readers.ts'
import type { RoomList } from './room-list.ts'
import type { Timeline } from './timeline.ts'

/** Of larger rooms only the readers of the last message are asked for. */
const mostMembers = 100

interface Parts {
  calls: Pick<UserCalls, 'listReaders' | 'listMembers'>
  rooms: RoomList
  me: () => string | undefined
}

/** Who has read the user's last message, and whom it has reached. Large rooms have no markers, and are complete without. */
export async function loadMarkers(
  id: string,
  { calls, rooms, me }: Parts,
  { timeline, readers, deliveries }: { timeline: Timeline; readers: Readers; deliveries: Deliveries },
): Promise<void> {
  const mine = timeline.shown().findLast(({ sender }) => sender._id === me())
  if (!mine) return
  const ofMembers = (rooms.get(id)?.memberCount ?? 0) <= mostMembers
  if (!ofMembers) {
    const found = await calls.listReaders({ id: mine._id }).catch(() => undefined)
    for (const { _id } of found?.data ?? []) readers.hasRead(_id, mine._id)
    return
  }
  const members = await calls.listMembers({ id, limit: mostMembers }).catch(() => undefined)
  for (const { _id, readSeq, deliveredSeq } of members?.data ?? []) {
    deliveries.hasReached(_id, deliveredSeq)
    const read = timeline.at(Math.min(readSeq, timeline.high))
    if (read && _id !== me()) readers.hasRead(_id, read._id)
  }
}
