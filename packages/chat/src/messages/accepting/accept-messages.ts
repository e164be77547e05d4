import type { RoomWriters } from '@parley/bus/control/room-writers'
import type { Db } from '@parley/db/connect'
import { newId } from '@parley/db/messages/messages'
import { tailsMigration } from '@parley/db/schema'
import type { Outbox } from '../../events/outbox.ts'
import type { Censor } from '../../moderation/censorship.ts'
import { acceptInTails } from './accept-in-tails.ts'
import { acceptInTransaction } from './accept-in-transaction.ts'
import type { Asked } from './asked-appends.ts'
import type { AskedRooms } from './asked-rooms.ts'
import type { KnownRooms } from './known-rooms.ts'
import type { Draft, Outcome } from './message-batch.ts'
import type { SenderProfiles } from './sender-profiles.ts'
import type { Settler } from './settler.ts'

export interface AcceptParts {
  db: Db
  outbox: Outbox
  profiles: SenderProfiles
  censor: Censor
  known: KnownRooms
  settler: Settler
  writers: RoomWriters
  askedRooms: AskedRooms
}

/** One thing to write: a message of a caller, or what another gateway asks for. */
export type ToAccept = { draft: Draft } | { asked: Asked }

/**
 * Writes a batch of messages: each gets the next seq of its room, and the room moves forward with it. One outcome per
 * draft, in order: a refused draft leaves no trace and takes no seq, what could not be written is a rejected promise. Who asks
 * from elsewhere has a reply then.
 *
 * The cost does not grow with the members or the history of a room: one write, and a read of what decides where that is
 * not known.
 */
export async function acceptMessages(
  parts: AcceptParts,
  batch: readonly ToAccept[],
): Promise<(Outcome | Promise<Outcome> | undefined)[]> {
  const ids = batch.map((one) => ('draft' in one ? (one.draft.id ?? newId()) : ''))
  const sends = batch.flatMap((one, i) => ('draft' in one ? [{ draft: one.draft, id: ids[i] as string }] : []))
  const asked = batch.flatMap((one) => ('asked' in one ? [one.asked] : []))
  // The release before does not read tails.
  const isRead = await parts.db.finished.has(tailsMigration)
  if (isRead) {
    const outcomes = await acceptInTails(parts, { sends, asked })
    return ids.map((id) => outcomes.get(id))
  }
  for (const { done } of asked) done('notWritten')
  if (sends.length === 0) return batch.map(() => undefined)
  const outcomes = await acceptInTransaction(parts, sends)
  const byID = new Map(sends.map(({ id }, i) => [id, outcomes[i]]))
  return ids.map((id) => byID.get(id))
}
