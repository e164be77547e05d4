import { ApiError } from '@parley/contracts/errors'
import { type Message, maxReactions, maxReactionsOfUser, reactionName } from '@parley/contracts/resources/message'
import { findRoomOfMessage } from '@parley/db/messages/messages'
import type { UserCaller } from '../../access/caller.ts'
import { requireMember, requireNotFrozen } from '../../access/require-member.ts'
import type { Chat } from '../../chat.ts'
import { moderateText } from '../../moderation/moderate.ts'
import { changeToView } from './change-message.ts'

/**
 * Adds a reaction of the caller, after the app's word list and hook are applied.
 * @throws ApiError MESSAGE_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED, ROOM_FROZEN, INVALID_REQUEST, MESSAGE_REFUSED
 */
export async function addReaction(chat: Chat, caller: UserCaller, id: string, given: string): Promise<Message> {
  const allowed = await moderateReaction(chat, caller, id, given)
  return changeToView(chat, caller, { id }, async ({ reactions = [] }, room) => {
    requireNotFrozen(room)
    // Masked under the lock, so that words added meanwhile are masked too.
    const reaction = await chat.censor.maskText(caller.app, allowed)
    if (reactions.some((given) => given.client === caller.user && given.reaction === reaction)) return undefined
    const own = reactions.filter(({ client }) => client === caller.user)
    if (own.length >= maxReactionsOfUser) {
      throw new ApiError('INVALID_REQUEST', `reaction: a user may give a message at most ${maxReactionsOfUser}`)
    }
    if (reactions.length >= maxReactions) {
      throw new ApiError('INVALID_REQUEST', `reaction: a message may have at most ${maxReactions}`)
    }
    return { set: { reactions: [...reactions, { client: caller.user, reaction }] } }
  })
}

async function moderateReaction(chat: Chat, caller: UserCaller, id: string, reaction: string): Promise<string> {
  const { app, user } = caller
  const hook = await chat.moderation.hookOf(app)
  const room = hook && (await findRoomOfMessage(chat.db, app, id))
  if (!hook || room === undefined) return reaction
  await requireMember(chat, caller, room)
  const moderated = await moderateText(chat, hook, reaction, {
    ...{ appID: app, clientID: user, roomID: room, event: 'REACTION' },
    data: { _id: id, message: reaction, messageType: 'reaction' },
  })
  const { data } = reactionName.safeParse(moderated)
  if (data === undefined) throw new ApiError('MESSAGE_REFUSED')
  return data
}

/** Removes a reaction of the caller. @throws ApiError MESSAGE_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED, ROOM_FROZEN */
export async function removeReaction(chat: Chat, caller: UserCaller, id: string, reaction: string): Promise<Message> {
  return changeToView(chat, caller, { id }, async ({ reactions = [] }, room) => {
    requireNotFrozen(room)
    const names = new Set([reaction, await chat.censor.maskText(caller.app, reaction)])
    const left = reactions.filter((given) => given.client !== caller.user || !names.has(given.reaction))
    return left.length === reactions.length ? undefined : { set: { reactions: left } }
  })
}
