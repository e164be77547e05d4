import { clock } from '@parley/async/clock'
import type { SystemType } from '@parley/contracts/resources/message'
import { key } from '@parley/db/keys'
import type { ScheduledDoc } from '@parley/db/messages/documents'
import { newId } from '@parley/db/messages/messages'
import { scheduledLeaseMS } from '@parley/db/messages/scheduled'

/** Maximum number of members that a system message names. `memberCount` holds the total. */
const maxNamed = 100

export interface MembersChange {
  messageType: SystemType
  /** The acting member, or the first member concerned if the caller is not a member. */
  sender: string
  /** Written on the sender's behalf, so a ban of the sender does not refuse it. */
  isForOther: boolean
  members: readonly string[]
}

/**
 * The system message for a change of members, to insert with insertSystemMessages in the same transaction
 * (docs/reference/rooms.md#members). It is not pushed.
 */
export function systemMessage(
  { app, id: room }: { app: string; id: string },
  { messageType, sender, isForOther, members }: MembersChange,
): ScheduledDoc {
  const id = newId()
  const now = clock.now()
  return {
    ...{ _id: key(app, id), app, id, room, sender, senderKey: key(app, sender), messageType, push: false },
    content: JSON.stringify(named(members)),
    ...{ sendAtMS: now, createdAtMS: now, nextMS: now + scheduledLeaseMS, claim: id, isSystem: true },
    ...(isForOther && { isForOther: true as const }),
  }
}

export function named(members: readonly string[]): { members: readonly string[]; memberCount: number } {
  return { members: members.slice(0, maxNamed), memberCount: members.length }
}
