import type { Message } from '../generated/types.ts'

/** A room's unread count: the server's count plus later messages. */
export interface UnreadCount {
  counted: number
  /** The highest seq that `counted` covers. */
  upToSeq: number
  /** Seqs of unread messages after `upToSeq`. */
  later: ReadonlySet<number>
}

export const noUnread: UnreadCount = { counted: 0, upToSeq: 0, later: new Set() }

export const totalOf = ({ counted, later }: UnreadCount): number => counted + later.size

/** Takes over the server's count. Messages after `upToSeq` still count. */
export function recounted(before: UnreadCount, counted: number, upToSeq: number): UnreadCount {
  return { counted, upToSeq, later: new Set([...before.later].filter((seq) => seq > upToSeq)) }
}

/** Counts a new message, once. */
export function withMessage(before: UnreadCount, message: Message, me: string | undefined): UnreadCount {
  const { seq } = message
  if (seq <= before.upToSeq || before.later.has(seq) || !countsFor(message, me)) return before
  return { ...before, later: new Set(before.later).add(seq) }
}

/** Whether a message counts as unread for a user before they read it (docs/reference/unread.md). */
export function countsFor(message: Message, me: string | undefined): boolean {
  return message.sender._id !== me && !message.isDeleted && !isRecalled(message)
}

/** Recalled messages have no content. Apps may also send messages of type `recall`, which do. */
export function isRecalled({ messageType, message }: Message): boolean {
  return messageType === 'recall' && message === undefined
}
