import type { Message } from '../generated/types.ts'

/** How many messages of a room are unread: as the server counted, and those that arrived later. */
export interface UnreadCount {
  counted: number
  /** The highest seq that `counted` knows of. */
  upToSeq: number
  /** The seqs of unread messages after that. */
  later: ReadonlySet<number>
}

export const noUnread: UnreadCount = { counted: 0, upToSeq: 0, later: new Set() }

export const totalOf = ({ counted, later }: UnreadCount): number => counted + later.size

/** The server's count as of now. Messages after its highest seq still count. */
export function recounted(before: UnreadCount, counted: number, upToSeq: number): UnreadCount {
  return { counted, upToSeq, later: new Set([...before.later].filter((seq) => seq > upToSeq)) }
}

/** After a new message: it counts once, and only if somebody else sent it. */
export function withMessage(before: UnreadCount, message: Message, me: string | undefined): UnreadCount {
  const { seq } = message
  if (seq <= before.upToSeq || before.later.has(seq) || !countsFor(message, me)) return before
  return { ...before, later: new Set(before.later).add(seq) }
}

/** Whether a message counts as unread for a user before they read it (docs/reference/unread.md). */
export function countsFor(message: Message, me: string | undefined): boolean {
  return message.sender._id !== me && !message.isDeleted && !isRecalled(message)
}

/** A message may be sent with the type `recall` too; a recalled one has no content. */
export function isRecalled({ messageType, message }: Message): boolean {
  return messageType === 'recall' && message === undefined
}
