import { ApiError } from '@parley/contracts/errors'
import type { Chat } from './chat.ts'
import { sendMessage } from './send-message.ts'

type SystemMessage = 'joinRoom' | 'addMembers' | 'leaveRoom' | 'deleteMember'

/** Members named in one such message at most; `memberCount` says how many there are. */
const maxNamed = 100

/**
 * Writes the message that tells of a change of the members (decisions.md, "Rooms and members"): its sender is who did
 * it, or where that is no member, the first member concerned. In a frozen room nothing is written.
 */
export async function writeSystemMessage(
  chat: Chat,
  room: { app: string; id: string },
  messageType: SystemMessage,
  sender: string,
  members: readonly string[],
): Promise<void> {
  const message = { members: members.slice(0, maxNamed), memberCount: members.length }
  try {
    await sendMessage(chat, { app: room.app, room: room.id, sender, message, messageType, push: true })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    chat.log.warn({ err: error, room: room.id, messageType }, 'system message not written')
  }
}
