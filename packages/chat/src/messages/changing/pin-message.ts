import { ApiError } from '@parley/contracts/errors'
import type { Message } from '@parley/contracts/resources/message'
import type { Caller } from '../../access/caller.ts'
import { requireNotFrozen } from '../../access/require-member.ts'
import type { Chat } from '../../chat.ts'
import { changeToView } from './change-message.ts'

/** Pins a message. @throws ApiError MESSAGE_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED, ROOM_FROZEN, INVALID_REQUEST */
export async function pinMessage(chat: Chat, caller: Caller, id: string): Promise<Message> {
  return changeToView(chat, caller, { id }, ({ pinned, recalled }, room) => {
    requireNotFrozen(room)
    if (recalled) throw new ApiError('INVALID_REQUEST', 'id: the message was recalled')
    return pinned ? undefined : { set: { pinned: true } }
  })
}

/** Unpins a message. @throws ApiError MESSAGE_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED, ROOM_FROZEN */
export async function unpinMessage(chat: Chat, caller: Caller, id: string): Promise<Message> {
  return changeToView(chat, caller, { id }, ({ pinned }, room) => {
    requireNotFrozen(room)
    return pinned ? { without: ['pinned'] } : undefined
  })
}
