import type { Db } from '@parley/db/connect'
import { newId } from '@parley/db/messages/messages'
import type { Censor } from '../../moderation/censorship.ts'
import { acceptInTails } from './accept-in-tails.ts'
import type { KnownRooms } from './known-rooms.ts'
import type { Draft, Outcome } from './message-batch.ts'
import type { SenderProfiles } from './sender-profiles.ts'
import type { Settler } from './settler.ts'

export interface AcceptParts {
  db: Db
  profiles: SenderProfiles
  censor: Censor
  known: KnownRooms
  settler: Settler
}

/**
 * Writes a batch of messages: each gets the next seq of its room, and the room moves forward with it. One outcome per
 * draft, in order: a refused draft leaves no trace and takes no seq, what could not be written is a rejected promise.
 *
 * The cost does not grow with the members or the history of a room: one write, and a read of what decides where that is
 * not known.
 */
export async function acceptMessages(
  parts: AcceptParts,
  drafts: readonly Draft[],
): Promise<(Outcome | Promise<Outcome>)[]> {
  const sends = drafts.map((draft) => ({ draft, id: draft.id ?? newId() }))
  const outcomes = await acceptInTails(parts, sends)
  return sends.map(({ id }) => outcomes.get(id) as Outcome | Promise<Outcome>)
}
