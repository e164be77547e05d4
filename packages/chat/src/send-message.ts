import { ApiError } from '@parley/contracts/errors'
import type { SentMessage } from '@parley/contracts/resources/message'
import { findUser } from '@parley/db/users'
import type { Chat } from './chat.ts'
import { contentOf, expandMentions } from './message-content.ts'
import { showSentMessage } from './show-message.ts'

export interface MessageToSend {
  app: string
  room: string
  sender: string
  /** Any JSON of at most 64 KiB. */
  message: unknown
  messageType: string
  mentions?: string[] | undefined
  push: boolean
  /** false: the room's webhook is not told, since it is what it answered. */
  webhook?: false
  clientMessageID?: string | undefined
  /** Makes the send repeatable; by default the clientMessageID. */
  idempotencyKey?: string | undefined
  /** ID of the request, for the log lines of the message's way. */
  request?: string | undefined
}

/**
 * Sends a message to a room: when this settles, it is journaled on a majority, has its seq, and is on
 * its way to the bus (interface.md, POST /messages; decisions.md, "Messages"). Sends that come together
 * share their round trips.
 * @throws ApiError MESSAGE_TOO_LARGE, INVALID_REQUEST, ROOM_NOT_FOUND, CLIENT_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED, ROOM_FROZEN
 */
export async function sendMessage(chat: Chat, send: MessageToSend): Promise<SentMessage> {
  const sendKey = send.idempotencyKey ?? send.clientMessageID
  const outcome = await chat.accept({
    app: send.app,
    room: send.room,
    sender: send.sender,
    content: contentOf(send.message),
    messageType: send.messageType,
    push: send.push,
    ...(send.webhook === false && { webhook: false }),
    ...(send.mentions && { mentions: await expandMentions(chat, send.app, send.mentions) }),
    ...(sendKey !== undefined && { sendKey }),
    ...(send.clientMessageID !== undefined && { clientMessageID: send.clientMessageID }),
    ...(send.request !== undefined && { request: send.request }),
  })
  if ('refused' in outcome) throw await refusal(chat, outcome.refused, send)
  return showSentMessage(outcome.message)
}

async function refusal(chat: Chat, code: ApiError['code'], send: MessageToSend): Promise<ApiError> {
  switch (code) {
    case 'ROOM_NOT_FOUND':
      return new ApiError(code, `room: no room ${JSON.stringify(send.room)}`)
    case 'NOT_ROOM_MEMBER':
      if (!(await findUser(chat.db, send.app, send.sender))) {
        return new ApiError('CLIENT_NOT_FOUND', `sender: no user ${JSON.stringify(send.sender)}`)
      }
      return new ApiError(code, 'sender is not a member of the room')
    case 'USER_BLOCKED':
      return new ApiError(code, 'sender is banned in the room, or blocked by the other user')
    default:
      return new ApiError(code)
  }
}
