import { ApiError } from '@parley/contracts/errors'
import type { Chat } from '../../chat.ts'
import { sendMessage } from './send-message.ts'

type SystemMessage = 'joinRoom' | 'addMembers' | 'leaveRoom' | 'deleteMember'

/** A system message names at most this many members; `memberCount` says how many there are. */
const maxNamed = 100

interface MembersChange {
  messageType: SystemMessage
  /** The acting member, or the first member concerned if the caller is not a member. */
  sender: string
  /** The sender has not acted themself, so their ban is no reason to refuse. */
  isForOther: boolean
  members: readonly string[]
  /** The message is written once for it. */
  idempotencyKey?: string
}

/**
 * Writes the system message of a change of members (docs/reference/rooms.md#members). It is not pushed. A frozen room gets
 * none.
 */
export async function writeSystemMessage(
  chat: Chat,
  { app, id: room }: { app: string; id: string },
  { members, isForOther, ...change }: MembersChange,
): Promise<void> {
  const message = { members: members.slice(0, maxNamed), memberCount: members.length }
  const { messageType } = change
  try {
    await sendMessage(chat, { app, room, message, push: false, isForOther, ...change })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    chat.log.warn({ err: error, app, room, messageType }, 'system message not written')
  }
}
