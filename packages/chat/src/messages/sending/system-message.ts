import { ApiError } from '@parley/contracts/errors'
import type { Chat } from '../../chat.ts'
import { sendMessage } from './send-message.ts'

type SystemMessage = 'joinRoom' | 'addMembers' | 'leaveRoom' | 'deleteMember'

/** A system message names at most this many members; `memberCount` says how many there are. */
const maxNamed = 100

/**
 * Writes the system message of a change of members (docs/reference/rooms.md#members). Its sender is the acting member,
 * or the first member concerned if the caller is not a member. It is not pushed. A frozen room gets none.
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
    await sendMessage(chat, { app: room.app, room: room.id, sender, message, messageType, push: false })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    chat.log.warn({ err: error, app: room.app, room: room.id, messageType }, 'system message not written')
  }
}
