import type { Message } from '../generated/types.ts'
import { quoteOf } from '../rooms/quotes.ts'

/** The server's limit: a message names the first five participants of its thread. */
const mostNamed = 5

/** Updates a thread's root after a message of the thread was sent or changed. */
export function afterThreadMessage(root: Message, message: Message): Message {
  const { threadCount = 0, threadLatestSeq = 0, threadParticipants = [], lastThreadMessage } = root
  if (message.seq <= threadLatestSeq) {
    return message._id === lastThreadMessage?._id ? { ...root, lastThreadMessage: quoteOf(message) } : root
  }
  const isNew = !threadParticipants.includes(message.sender._id) && threadParticipants.length < mostNamed
  return {
    ...root,
    threadCount: threadCount + message.seq - threadLatestSeq,
    threadLatestSeq: message.seq,
    lastThreadMessage: quoteOf(message),
    threadParticipants: isNew ? [...threadParticipants, message.sender._id] : threadParticipants,
  }
}

/** Keeps the known thread state if the message's event is older than it. */
export function withThreadOf(known: Message | undefined, message: Message): Message {
  const { threadCount, threadLatestSeq, lastThreadMessage, threadParticipants } = known ?? {}
  if (threadCount === undefined || threadLatestSeq === undefined) return message
  if (threadLatestSeq <= (message.threadLatestSeq ?? 0)) return message
  return {
    ...message,
    threadCount,
    threadLatestSeq,
    ...(lastThreadMessage && { lastThreadMessage }),
    ...(threadParticipants && { threadParticipants }),
  }
}
