import { ApiError } from '@parley/contracts/errors'
import type { ScheduledDoc } from '@parley/db/messages/documents'
import type { Chat } from '../chat.ts'
import { sendMessage } from '../send/send-message.ts'
import { sendTaken } from './send-scheduled.ts'
import { type MembersChange, named } from './system-message.ts'

/** Sends recorded system messages: each is then in the room, or another process will send it; none if it is frozen. */
export async function sendSystemMessages(chat: Chat, recorded: readonly ScheduledDoc[]): Promise<void> {
  await Promise.all(recorded.map((one) => sendTaken(chat, one)))
}

/** Writes the system message for a change about to be made. @param idempotencyKey a repeat writes nothing */
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
