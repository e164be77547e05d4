import type { Message } from '../generated/types.ts'
import { quoteOf } from '../rooms/quotes.ts'

/** As in the contract: a message names the first five members of its thread. */
const mostNamed = 5

/** The message that a thread is about, after a message of the thread was sent or changed. */
export function afterThreadMessage(root: Message, message: Message): Message {
  const { threadCount = 0, threadParticipants = [], lastThreadMessage } = root
  if (message.seq <= threadCount) {
    return message._id === lastThreadMessage?._id ? { ...root, lastThreadMessage: quoteOf(message) } : root
  }
  const isNew = !threadParticipants.includes(message.sender._id) && threadParticipants.length < mostNamed
  return {
    ...root,
    threadCount: message.seq,
    lastThreadMessage: quoteOf(message),
    threadParticipants: isNew ? [...threadParticipants, message.sender._id] : threadParticipants,
  }
}

/** The known state of the thread, where the message's event is older than its latest messages. */
export function withThreadOf(known: Message | undefined, message: Message): Message {
  const { threadCount, lastThreadMessage, threadParticipants } = known ?? {}
  if (threadCount === undefined || threadCount <= (message.threadCount ?? 0)) return message
  return {
    ...message,
    threadCount,
    ...(lastThreadMessage && { lastThreadMessage }),
    ...(threadParticipants && { threadParticipants }),
  }
}
