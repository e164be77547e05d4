import type { Message } from '../generated/types.ts'

/** The stub that a message deleted for everybody leaves. */
export function withoutContent({ message: _message, mentions: _mentions, ...rest }: Message): Message {
  return { ...rest, isDeleted: true, reactions: [], reactionCount: 0 }
}
