import { defined } from '@parley/contracts/defined'
import { ApiError } from '@parley/contracts/errors'
import { readJson } from '@parley/contracts/free-json'
import type { SentMessage } from '@parley/contracts/resources/message'
import { key } from '@parley/db/keys'
import { type MessageChange, ofStream } from '@parley/db/messages/change-messages'
import { findSentMessage } from '@parley/db/messages/messages'
import { banInForce } from '@parley/db/users/app-bans'
import { findUser } from '@parley/db/users/users'
import { type Caller, type UserCaller, userOf } from '../../access/caller.ts'
import { requireNotFrozen } from '../../access/require-member.ts'
import type { Chat } from '../../chat.ts'
import { moderate } from '../../moderation/moderate.ts'
import { requireRoomMention } from '../../push/mentions.ts'
import { bannedFromApp, unknownUser } from '../../users/user-errors.ts'
import { toSentMessageView } from '../../views/message.ts'
import { contentOf } from '../draft.ts'
import { changeMessage, type MessageName } from './change-message.ts'
import { recall, recalled } from './recalled.ts'

export interface Edit {
  message?: unknown
  messageType?: string | undefined
  mentions?: string[] | undefined
  /** Whether the user's own client edits, not the integrator. The app's hook is then called. */
  byClient?: boolean
}

/**
 * Replaces the content of the caller's own message, or of any message for the integrator. messageType `recall` clears
 * the content for good, and the message no longer counts as unread (docs/reference/messages.md#edit-recall-react-pin).
 * Recalling again changes nothing.
 * @throws ApiError MISSING_PARAMETER, INVALID_REQUEST, CLIENT_NOT_FOUND, ROOM_NOT_FOUND, NOT_ROOM_MEMBER,
 * MESSAGE_NOT_FOUND, INSUFFICIENT_PERMISSIONS, USER_BANNED, USER_BLOCKED, ROOM_FROZEN, MESSAGE_TOO_LARGE,
 * MESSAGE_REFUSED
 */
export async function editMessage(chat: Chat, caller: Caller, name: MessageName, edit: Edit): Promise<SentMessage> {
  const isRecall = edit.messageType === recalled
  if (caller.kind === 'user') await requireEditor(chat, caller, isRecall)
  const content = isRecall ? undefined : await newContent(chat, caller, name, edit)
  const { message, quoted } = await changeMessage(chat, caller, name, async (before, room) => {
    if (caller.kind === 'user' && before.sender !== caller.user) {
      throw new ApiError('INSUFFICIENT_PERMISSIONS', 'only the sender may edit or recall a message')
    }
    if (before.system) throw new ApiError('INSUFFICIENT_PERMISSIONS', 'a system message cannot be edited')
    if (content === undefined) return before.recalled ? undefined : recall
    if (before.recalled) throw new ApiError('INVALID_REQUEST', '_id: the message was recalled')
    requireNotFrozen(room)
    if (caller.kind === 'user') await requireRoomMention(chat.db, caller, edit.mentions, room)
    // Masked under the lock, so that words added meanwhile are masked too.
    return edited(await chat.censor.maskContent(caller.app, content), edit)
  })
  return toSentMessageView(message, quoted)
}

/** @throws ApiError CLIENT_NOT_FOUND, USER_BANNED */
async function requireEditor({ db }: Chat, { app, user: id }: UserCaller, isRecall: boolean): Promise<void> {
  const user = await findUser(db, app, id)
  if (!user) throw unknownUser('sender', id)
  if (!isRecall && banInForce(user)) throw bannedFromApp(id)
}

function edited(content: string, { messageType, mentions }: Edit): MessageChange {
  const given = defined({ messageType, mentions: mentions && [...new Set(mentions)] })
  return { set: { content, edited: true, ...given }, without: ofStream }
}

async function newContent(chat: Chat, caller: Caller, name: MessageName, edit: Edit): Promise<string> {
  if (edit.message === undefined) throw new ApiError('MISSING_PARAMETER', 'message is required')
  return moderateEdit(chat, caller, name, edit, contentOf(edit.message))
}

/** The content after the app's hook, which is not called for others' messages: editing those is refused anyway. */
async function moderateEdit(
  chat: Chat,
  caller: Caller,
  { id, room }: MessageName,
  { messageType, mentions, byClient }: Edit,
  content: string,
): Promise<string> {
  const { app } = caller
  const user = userOf(caller)
  const hook = byClient && room !== undefined ? await chat.moderation.hookOf(app) : undefined
  if (!hook || room === undefined || user === undefined) return content
  const found = await findSentMessage(chat.db, key(app, room), id)
  if (found?.sender !== user) return content
  const message = { _id: id, message: readJson(content), messageType: messageType ?? found.messageType }
  return moderate(chat, hook, content, {
    ...{ appID: app, clientID: user, roomID: room, event: 'MESSAGE_UPDATED' },
    data: { ...message, ...(mentions && { mentions }) },
  })
}
