import { ApiError } from '@parley/contracts/errors'
import type { SentMessage } from '@parley/contracts/resources/message'
import { type MessageChange, ofStream } from '@parley/db/messages/change-messages'
import { findUser } from '@parley/db/users/users'
import type { UserCaller } from '../../access/caller.ts'
import type { Chat } from '../../chat.ts'
import { toSentMessageView } from '../../views/message.ts'
import { contentOf } from '../sending/message-content.ts'
import { changeMessage, type MessageName } from './change-message.ts'
import { recalled } from './recalled.ts'

export interface Edit {
  message?: unknown
  messageType?: string | undefined
  mentions?: string[] | undefined
}

/**
 * Replaces the content of the caller's own message, or with messageType `recall` clears it for good
 * (docs/reference/messages.md#edit-recall-react-pin). Recalling again changes nothing.
 * @throws ApiError MISSING_PARAMETER, INVALID_REQUEST, CLIENT_NOT_FOUND, ROOM_NOT_FOUND, NOT_ROOM_MEMBER, MESSAGE_NOT_FOUND,
 *   INSUFFICIENT_PERMISSIONS, USER_BLOCKED, ROOM_FROZEN, MESSAGE_TOO_LARGE
 */
export async function editMessage(chat: Chat, caller: UserCaller, name: MessageName, edit: Edit): Promise<SentMessage> {
  if (!(await findUser(chat.db, caller.app, caller.user))) {
    throw new ApiError('CLIENT_NOT_FOUND', `sender: no user ${JSON.stringify(caller.user)}`)
  }
  const isRecall = edit.messageType === recalled
  const wanted: MessageChange = isRecall
    ? { set: { messageType: recalled }, without: ['content', 'mentions', 'attachments', ...ofStream] }
    : await newContent(chat, caller.app, edit)
  const { message, quoted } = await changeMessage(chat, caller, name, (before, room) => {
    if (before.sender !== caller.user) {
      throw new ApiError('INSUFFICIENT_PERMISSIONS', 'only the sender may edit or recall a message')
    }
    if (isRecall) return before.messageType === recalled ? undefined : wanted
    if (before.messageType === recalled) throw new ApiError('INVALID_REQUEST', '_id: the message was recalled')
    if (room.status === 0) throw new ApiError('ROOM_FROZEN')
    return wanted
  })
  return toSentMessageView(message, quoted)
}

async function newContent(chat: Chat, app: string, edit: Edit): Promise<MessageChange> {
  if (edit.message === undefined) throw new ApiError('MISSING_PARAMETER', 'message is required')
  const content = contentOf(edit.message)
  const mask = await chat.censor.maskOf(app)
  return {
    without: ofStream,
    set: {
      content: mask ? mask(content) : content,
      edited: true,
      ...(edit.messageType !== undefined && { messageType: edit.messageType }),
      ...(edit.mentions && { mentions: [...new Set(edit.mentions)] }),
    },
  }
}
