import { ApiError } from '@parley/contracts/errors'
import { unfitJson } from '@parley/contracts/free-json'
import type { AttachmentToSend } from '@parley/contracts/resources/file'
import { maxMessageBytes } from '@parley/contracts/resources/message'
import type { MessageDoc } from '@parley/db/messages/documents'
import { findUser } from '@parley/db/users/users'
import type { Chat } from '../chat.ts'
import { attachFiles } from '../files/attach-files.ts'
import { findRepeated, type Refusal } from '../send/decide.ts'
import type { Draft } from '../send/new-message.ts'
import { unknownUser } from '../users/user-errors.ts'

/** The JSON text of a message's content. @throws ApiError MESSAGE_TOO_LARGE, INVALID_BODY */
export function contentOf(message: unknown): string {
  const unfit = unfitJson(message, 0)
  if (unfit) throw new ApiError('INVALID_BODY', `message: ${unfit}`)
  const content = JSON.stringify(message)
  if (Buffer.byteLength(content) > maxMessageBytes) {
    throw new ApiError('MESSAGE_TOO_LARGE', `message is over ${maxMessageBytes} bytes as JSON`)
  }
  return content
}

/**
 * The draft with its files. If the files are gone, for example after a recall, and the draft was sent before under its
 * key, returns the first message.
 * @throws ApiError FILE_NOT_FOUND, INVALID_REQUEST
 */
export async function attachToDraft(
  chat: Chat,
  files: readonly AttachmentToSend[],
  draft: Draft,
): Promise<Draft | { first: MessageDoc }> {
  try {
    return { ...draft, attachments: await attachFiles(chat, draft, files) }
  } catch (error) {
    const first = error instanceof ApiError && (await findRepeated(chat, draft))
    if (first) return { first }
    throw error
  }
}

/** The error that the sender gets for a refusal. */
export async function errorOfRefusal(
  chat: Chat,
  { refused: code, afterMS = 0 }: Refusal,
  send: { app: string; room: string; sender: string; replyTo?: string | undefined },
): Promise<ApiError> {
  switch (code) {
    case 'ROOM_NOT_FOUND':
      return new ApiError(code, `room: no room ${JSON.stringify(send.room)}`)
    case 'NOT_ROOM_MEMBER':
    // Also returned while the user is being erased.
    case 'USER_BANNED':
      if (!(await findUser(chat.db, send.app, send.sender))) {
        return unknownUser('sender', send.sender)
      }
      return code === 'USER_BANNED' ? new ApiError(code) : new ApiError(code, 'sender is not a member of the room')
    case 'USER_BLOCKED':
      return new ApiError(code, 'sender is banned in the room, or blocked by the other user')
    case 'MESSAGE_NOT_FOUND':
      return new ApiError(code, `replyTo: no message ${JSON.stringify(send.replyTo)} in the room, or it was deleted`)
    case 'SLOW_MODE': {
      const message = `room: slow mode is on: send again in ${Math.ceil(afterMS / 1_000)} s`
      return new ApiError(code, message, { details: { retryAfterMS: afterMS } })
    }
    default:
      return new ApiError(code)
  }
}
