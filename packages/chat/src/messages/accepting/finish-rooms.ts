import type { UserDoc } from '@parley/db/users/users'
import type { AcceptParts } from './accept-messages.ts'
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
    if (!room.append) continue
    known.appended(room.append)
    settler.take(room.append, senders)
  }
}
