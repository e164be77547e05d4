import type { LiveText, RoomMessage } from '@parley/client'

/** The messages, those that a robot is streaming with the text as it is by now. */
export function withLiveTexts(messages: readonly RoomMessage[], live: readonly LiveText[]): readonly RoomMessage[] {
  const texts = new Map(live.map(({ message = '', text }) => [message, text]))
  texts.delete('')
  if (texts.size === 0) return messages
  return messages.map((message) => {
    const text = texts.get(message._id)
    return text === undefined ? message : { ...message, message: withText(message.message, text) }
  })
}

/** Robot texts outside the history; streamed messages stand in it. */
export const unbound = (live: readonly LiveText[]): LiveText[] => live.filter(({ message }) => message === undefined)

function withText(content: unknown, text: string): unknown {
  return typeof content === 'object' && content !== null ? { ...content, text } : text
}
