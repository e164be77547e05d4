import type { Message, Quote } from '../generated/types.ts'

/** As in the interface: the characters of a text that a quote has. */
const quoteLength = 200

/** The text of a message: its content, or the `text` of that; empty where it has none. */
export function textOf({ message }: Message): string {
  const text = typeof message === 'object' && message && 'text' in message ? message.text : message
  return typeof text === 'string' ? text : ''
}

/** The quote of a message, as Parley makes it (docs/reference/messages.md#replies). */
export function quoteOf(message: Message): Quote {
  const { _id, sender, messageType, isDeleted } = message
  return { _id, sender: sender._id, messageType, text: textOf(message).slice(0, quoteLength), isDeleted }
}

export const deletedQuote = (quote: Quote): Quote => ({ ...quote, text: '', isDeleted: true })

/** A message with its quotes of another brought up to date: the same object where it quotes none. */
export function requoted(message: Message, quoted: string, now: (before: Quote) => Quote): Message {
  const { replyTo, lastThreadMessage: last } = message
  const isReply = replyTo?._id === quoted && !replyTo.isDeleted
  const isRoot = last?._id === quoted && !last.isDeleted
  if (!isReply && !isRoot) return message
  return { ...message, ...(isReply && { replyTo: now(replyTo) }), ...(isRoot && { lastThreadMessage: now(last) }) }
}
