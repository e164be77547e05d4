import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { SystemType } from '@parley/contracts/resources/message'
import { key } from '@parley/db/keys'
import type { ScheduledDoc } from '@parley/db/messages/documents'
import { newId } from '@parley/db/messages/messages'
import { scheduledLeaseMS } from '@parley/db/messages/scheduled'
import type { Chat } from '../../chat.ts'
import { sendMessage } from '../../send/send-message.ts'
import { sendTaken } from './send-scheduled.ts'

/** A system message names at most this many members; `memberCount` says how many there are. */
const maxNamed = 100

interface MembersChange {
  messageType: SystemType
  /** The acting member, or the first member concerned if the caller is not a member. */
  sender: string
  /** The sender has not acted themself, so their ban is no reason to refuse. */
  isForOther: boolean
  members: readonly string[]
}

/**
 * The system message of a change of members, for insertSystemMessages in the transaction of the change
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

/**
 * Sends what the transaction has recorded. When this settles it is in the room, or will be sent again by whichever process. A
 * frozen room gets none.
 */
export async function sendSystemMessages(chat: Chat, recorded: readonly ScheduledDoc[]): Promise<void> {
  await Promise.all(recorded.map((one) => sendTaken(chat, one)))
}

/**
 * Writes the system message of a change that is still to be made.
 * @param idempotencyKey the message is written once for it
 */
export async function writeSystemMessage(
  chat: Chat,
  { app, id: room }: { app: string; id: string },
  { members, ...change }: MembersChange,
  idempotencyKey: string,
): Promise<void> {
  const { messageType } = change
  try {
    const written = { message: named(members), push: false, isSystem: true } as const
    await sendMessage(chat, { app, room, ...written, idempotencyKey, ...change })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    chat.log.warn({ err: error, app, room, messageType }, 'system message not written')
  }
}

function named(members: readonly string[]): { members: readonly string[]; memberCount: number } {
  return { members: members.slice(0, maxNamed), memberCount: members.length }
}
