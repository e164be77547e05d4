import type { UserDoc } from '@parley/db/users/users'
import type { AcceptParts } from './accept-messages.ts'
import { ownPart, replyPlaces } from './asked-appends.ts'
import type { Outcome } from './message-batch.ts'
import type { RoomAttempt } from './tail-attempts.ts'

/** What becomes of sends, by their IDs. */
export type Outcomes = Map<string, Outcome | Promise<Outcome>>

/**
 * What follows when rooms are written: in one turn, so that the events of all go out in one write.
 * @param outcomes gets those of the rooms' sends
 */
export function finishRooms(
  { known, settler }: AcceptParts,
  rooms: readonly RoomAttempt[],
  senders: ReadonlyMap<string, UserDoc>,
  outcomes: Outcomes,
): void {
  for (const room of rooms) {
    for (const [id, outcome] of room.outcomes) outcomes.set(id, outcome)
    if (room.append) known.appended(room.append)
    const own = ownPart(room)
    if (own) settler.take(own, senders)
    replyPlaces(room)
  }
}
