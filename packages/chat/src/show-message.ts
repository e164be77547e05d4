import type { Message, SentMessage } from '@parley/contracts/resources/message'
import type { Sender } from '@parley/contracts/resources/sender'
import type { MessageDoc } from '@parley/db/messages'
import type { UserDoc } from '@parley/db/users'

/** A user as embedded in messages and rooms. One who was erased keeps the ID and loses the profile. */
export function showSender(id: string, user: UserDoc | undefined): Sender {
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

/** A message as the history and events show it (interface.md, "Message"). */
export function showMessage(doc: MessageDoc, user: UserDoc | undefined): Message {
  return { ...common(doc), sender: showSender(doc.sender, user) }
}

/** A message as sending answers it: the sender is the plain user ID. */
export function showSentMessage(doc: MessageDoc): SentMessage {
  return { ...common(doc), sender: doc.sender }
}

function common(doc: MessageDoc): Omit<SentMessage, 'sender'> {
  const reactions = doc.reactions ?? []
  return {
    _id: doc._id,
    id: doc._id,
    room: doc.room,
    ...(doc.content !== undefined && { message: JSON.parse(doc.content) as unknown }),
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
    ...(doc.clientMessageID !== undefined && { clientMessageID: doc.clientMessageID }),
  }
}
