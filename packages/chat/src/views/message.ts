import type { Message, SentMessage } from '@parley/contracts/resources/message'
import type { Sender } from '@parley/contracts/resources/sender'
import type { MessageDoc } from '@parley/db/messages/messages'
import type { UserDoc } from '@parley/db/users/users'
import { withField } from './json-text.ts'

/** The summary of a user in messages and rooms. An erased user keeps the ID and loses the profile. */
export function toSenderView(id: string, user: UserDoc | undefined): Sender {
  return {
    _id: id,
    id,
    nickname: user?.nickname ?? '',
    description: user?.description ?? '',
    avatarUrl: user?.avatarUrl ?? '',
    isRobot: user?.isRobot ?? false,
    lastLoginTimeMS: user?.lastLoginTimeMS ?? 0,
  }
}

/** A message in the history and in events (docs/reference/resources.md#message). */
export function toMessageView(doc: MessageDoc, user: UserDoc | undefined): Message {
  return { ...common(doc), sender: toSenderView(doc.sender, user) }
}

/** The same as JSON text, with the content as it is stored. */
export function messageJson(doc: MessageDoc, user: UserDoc | undefined): string {
  const shown = { ...withoutContent(doc), sender: toSenderView(doc.sender, user) }
  return doc.content === undefined ? JSON.stringify(shown) : withField(shown, 'message', doc.content)
}

/** A message as sending returns it: the sender is the plain user ID. */
export function toSentMessageView(doc: MessageDoc): SentMessage {
  return { ...common(doc), sender: doc.sender }
}

/** The same as JSON text. */
export function sentMessageJson(doc: MessageDoc): string {
  const shown = { ...withoutContent(doc), sender: doc.sender }
  return doc.content === undefined ? JSON.stringify(shown) : withField(shown, 'message', doc.content)
}

function common(doc: MessageDoc): Omit<SentMessage, 'sender'> {
  const { content } = doc
  return { ...withoutContent(doc), ...(content !== undefined && { message: JSON.parse(content) as unknown }) }
}

function withoutContent(doc: MessageDoc): Omit<SentMessage, 'sender' | 'message'> {
  const reactions = doc.reactions ?? []
  return {
    _id: doc._id,
    id: doc._id,
    room: doc.room,
    messageType: doc.messageType,
    appID: doc.app,
    messageTime: new Date(doc.createdAtMS).toISOString(),
    messageTimeMS: doc.createdAtMS,
    updatedAtMS: doc.updatedAtMS,
    createdAtMS: doc.createdAtMS,
    reactions,
    reactionCount: reactions.length,
    isDeleted: doc.isDeleted ?? false,
    seq: doc.seq,
    ...(doc.mentions && { mentions: doc.mentions }),
    ...(doc.pinned && { pinned: true }),
    ...(doc.edited && { edited: true }),
    ...(doc.clientMessageID !== undefined && { clientMessageID: doc.clientMessageID }),
  }
}
