import type { LiveText, RoomMessage } from '@parley/client'

/** Updates messages that a robot is streaming with their current text. */
export function withLiveTexts(messages: readonly RoomMessage[], live: readonly LiveText[]): readonly RoomMessage[] {
  const texts = new Map(live.map(({ message = '', text }) => [message, text]))
  texts.delete('')
  if (texts.size === 0) return messages
  return messages.map((message) => {
    const text = texts.get(message._id)
    return text === undefined ? message : { ...message, message: withText(message.message, text) }
  })
}

/** Robot texts that are not part of the history, unlike streamed messages. */
export const unbound = (live: readonly LiveText[]): LiveText[] => live.filter(({ message }) => message === undefined)

function withText(content: unknown, text: string): unknown {
  return typeof content === 'object' && content !== null ? { ...content, text } : text
}
