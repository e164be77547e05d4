import type { MessageDoc } from '@parley/db/messages/messages'
import type { RoomAdvance } from '@parley/db/rooms/advance-rooms'
import type { Draft } from './message-batch.ts'

/** What may be much of a message. */
export function bytesOf({
  content = '',
  mentions = [],
  attachments,
}: Pick<MessageDoc, 'content' | 'mentions' | 'attachments'>): number {
  const files = attachments ? Buffer.byteLength(JSON.stringify(attachments)) : 0
  return Buffer.byteLength(content) + mentions.reduce((sum, user) => sum + Buffer.byteLength(user), 0) + files
}

/** What is written of a draft, with the seq and time that it gets. */
export function toMessage(draft: Draft, advance: RoomAdvance): MessageDoc {
  const { expiresInS = advance.room.expiresInS ?? 0 } = draft
  return {
    _id: advance.lastMessageID,
    app: draft.app,
    room: draft.room,
    roomKey: advance.room._id,
    seq: advance.seq,
    sender: draft.sender,
    content: draft.content,
    messageType: draft.messageType,
    createdAtMS: advance.clockMS,
    updatedAtMS: advance.clockMS,
    ...(draft.mentions && { mentions: draft.mentions }),
    ...(draft.clientMessageID !== undefined && { clientMessageID: draft.clientMessageID }),
    ...(draft.attachments && { attachments: draft.attachments }),
    ...(draft.replyTo !== undefined && { replyTo: draft.replyTo }),
    ...(!draft.push && { push: false }),
    ...(draft.skipTotalBadge && { skipTotalBadge: true }),
    ...(draft.isSystem && { system: true }),
    ...(draft.streaming && { streaming: true }),
    ...(expiresInS > 0 && { expiresAtMS: advance.clockMS + expiresInS * 1_000 }),
    ...(draft.webhook === false && { webhook: false }),
    ...(draft.request !== undefined && { request: draft.request }),
  }
}
