import type { Message } from '../generated/types.ts'

/** The stub left by a message deleted for everybody. */
export function withoutContent(message: Message): Message {
  const { message: _message, mentions: _mentions, attachments: _attachments, ...rest } = message
  return { ...rest, isDeleted: true, reactions: [], reactionCount: 0 }
}
