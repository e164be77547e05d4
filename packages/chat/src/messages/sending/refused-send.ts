import { ApiError } from '@parley/contracts/errors'
import { findUser } from '@parley/db/users/users'
import type { Chat } from '../../chat.ts'
import type { Refusal } from '../../send/decide.ts'

/** The error that its sender gets. */
export async function errorOfRefusal(
  chat: Chat,
  { refused: code, afterMS = 0 }: Refusal,
  send: { app: string; room: string; sender: string; replyTo?: string | undefined },
): Promise<ApiError> {
  switch (code) {
    case 'ROOM_NOT_FOUND':
      return new ApiError(code, `room: no room ${JSON.stringify(send.room)}`)
    case 'NOT_ROOM_MEMBER':
    // Also while the user is being erased.
    case 'USER_BANNED':
      if (!(await findUser(chat.db, send.app, send.sender))) {
        return new ApiError('CLIENT_NOT_FOUND', `sender: no user ${JSON.stringify(send.sender)}`)
      }
      return code === 'USER_BANNED' ? new ApiError(code) : new ApiError(code, 'sender is not a member of the room')
    case 'USER_BLOCKED':
      return new ApiError(code, 'sender is banned in the room, or blocked by the other user')
    case 'MESSAGE_NOT_FOUND':
      return new ApiError(code, `replyTo: no message ${JSON.stringify(send.replyTo)} in the room, or it was deleted`)
    case 'SLOW_MODE': {
      const message = `room: it has a slow mode: send again in ${Math.ceil(afterMS / 1_000)} s`
      return new ApiError(code, message, { details: { retryAfterMS: afterMS } })
    }
    default:
      return new ApiError(code)
  }
}
