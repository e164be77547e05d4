import { ApiError } from '@parley/contracts/errors'
import { type Message, maxReactions } from '@parley/contracts/resources/message'
import type { MessageChange, MessageDoc } from '@parley/db/messages'
import type { UserCaller } from './authenticate-user.ts'
import { changeMessage } from './change-message.ts'
import type { Chat } from './chat.ts'
import { showMessage } from './show-message.ts'

type Caller = Pick<UserCaller, 'app' | 'user'>

/** Adds a reaction of the caller. @throws ApiError MESSAGE_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED, INVALID_REQUEST */
export async function addReaction(chat: Chat, caller: Caller, id: string, reaction: string): Promise<Message> {
  return change(chat, caller, id, ({ reactions = [] }) => {
    if (reactions.some((given) => given.client === caller.user && given.reaction === reaction)) return undefined
    if (reactions.length >= maxReactions) {
      throw new ApiError('INVALID_REQUEST', `reaction: a message takes at most ${maxReactions}`)
    }
    return { set: { reactions: [...reactions, { client: caller.user, reaction }] } }
  })
}

/** Takes back a reaction of the caller. @throws ApiError MESSAGE_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED */
export async function removeReaction(chat: Chat, caller: Caller, id: string, reaction: string): Promise<Message> {
  return change(chat, caller, id, ({ reactions = [] }) => {
    const left = reactions.filter((given) => given.client !== caller.user || given.reaction !== reaction)
    return left.length === reactions.length ? undefined : { set: { reactions: left } }
  })
}

/** Pins a message. @throws ApiError MESSAGE_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED */
export async function pinMessage(chat: Chat, caller: Caller, id: string): Promise<Message> {
  return change(chat, caller, id, ({ pinned }) => (pinned ? undefined : { set: { pinned: true } }))
}

/** Unpins a message. @throws ApiError MESSAGE_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED */
export async function unpinMessage(chat: Chat, caller: Caller, id: string): Promise<Message> {
  return change(chat, caller, id, ({ pinned }) => (pinned ? { without: ['pinned'] } : undefined))
}

async function change(
  chat: Chat,
  caller: Caller,
  id: string,
  wanted: (message: MessageDoc) => MessageChange | undefined,
): Promise<Message> {
  const { message, sender } = await changeMessage(chat, caller, { id }, wanted)
  return showMessage(message, sender)
}
