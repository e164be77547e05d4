import type { Message, Quote } from '../generated/types.ts'
import { textIn } from './text-of.ts'

/** The server's limit for a quote's text, in characters. */
const quoteLength = 200

/** Quotes a message as the server does (docs/reference/messages.md#replies). */
export function quoteOf(message: Message): Quote {
  const { _id, sender, messageType, isDeleted } = message
  return { _id, sender: sender._id, messageType, text: textIn(message.message).slice(0, quoteLength), isDeleted }
}

export const deletedQuote = (quote: Quote): Quote => ({ ...quote, text: '', isDeleted: true })

/** Updates a message's quotes of another message. Returns the same object if it quotes none. */
export function requoted(message: Message, quoted: string, now: (before: Quote) => Quote): Message {
  const { replyTo, lastThreadMessage: last } = message
  const isReply = replyTo?._id === quoted && !replyTo.isDeleted
  const isRoot = last?._id === quoted && !last.isDeleted
  if (!isReply && !isRoot) return message
  return { ...message, ...(isReply && { replyTo: now(replyTo) }), ...(isRoot && { lastThreadMessage: now(last) }) }
}
