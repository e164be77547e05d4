import { ApiError } from '@parley/contracts/errors'
import { type Message, maxReactions } from '@parley/contracts/resources/message'
import type { UserCaller } from '../../access/caller.ts'
import { requireNotFrozen } from '../../access/require-member.ts'
import type { Chat } from '../../chat.ts'
import { changeToView } from './change-message.ts'

/**
 * Adds a reaction of the caller.
 * @throws ApiError MESSAGE_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED, ROOM_FROZEN, INVALID_REQUEST
 */
export async function addReaction(chat: Chat, caller: UserCaller, id: string, reaction: string): Promise<Message> {
  return changeToView(chat, caller, { id }, ({ reactions = [] }, room) => {
    requireNotFrozen(room)
    if (reactions.some((given) => given.client === caller.user && given.reaction === reaction)) return undefined
    if (reactions.length >= maxReactions) {
      throw new ApiError('INVALID_REQUEST', `reaction: a message takes at most ${maxReactions}`)
    }
    return { set: { reactions: [...reactions, { client: caller.user, reaction }] } }
  })
}

/**
 * Removes a reaction of the caller.
 * @throws ApiError MESSAGE_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED, ROOM_FROZEN
 */
export async function removeReaction(chat: Chat, caller: UserCaller, id: string, reaction: string): Promise<Message> {
  return changeToView(chat, caller, { id }, ({ reactions = [] }, room) => {
    requireNotFrozen(room)
    const left = reactions.filter((given) => given.client !== caller.user || given.reaction !== reaction)
    return left.length === reactions.length ? undefined : { set: { reactions: left } }
  })
}
