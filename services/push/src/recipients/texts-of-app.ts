import type { Message } from '@parley/contracts/resources/message'
import type { PushText } from '@parley/contracts/resources/push/text'
import type { ContentText } from '../networks/network.ts'

/**
 * The app's texts for a message, by language in lower case, `''` for other languages. Per language, a text for the message
 * type wins over one for the room type, and that over the first. Undefined if there are none.
 * @param preview whether pushes may show the message
 */
export function textsOf(
  texts: readonly PushText[],
  message: Message,
  roomType: string,
  preview: boolean,
): Record<string, ContentText> | undefined {
  const fitting = texts.filter(
    (text) =>
      (text.messageType ?? message.messageType) === message.messageType && (text.roomType ?? roomType) === roomType,
  )
  if (fitting.length === 0) return undefined
  const best = new Map<string, PushText>()
  for (const text of fitting) {
    const language = text.language?.toLowerCase() ?? ''
    const other = best.get(language)
    if (!other || rank(text) > rank(other)) best.set(language, text)
  }
  const pictures = { avatar: message.sender.avatarUrl, image: preview ? pictureIn(message.message) : '' }
  return Object.fromEntries([...best].map(([language, text]) => [language, withPicture(text, pictures)]))
}

function rank({ messageType, roomType }: PushText): number {
  return (messageType === undefined ? 0 : 2) + (roomType === undefined ? 0 : 1)
}

function withPicture(
  { title, body, mentioned, sound, category, image }: PushText,
  pictures: { avatar: string; image: string },
): ContentText {
  const url = image?.replaceAll(/\{(avatar|image)\}/g, (_all, name: 'avatar' | 'image') => pictures[name]) ?? ''
  return {
    title,
    body,
    ...(mentioned !== undefined && { mentioned }),
    ...(sound !== undefined && { sound }),
    ...(category !== undefined && { category }),
    ...(url.length <= maxUrl && isHttps(url) && { image: url }),
  }
}

/** Longer URLs would leave too little room for the text. */
const maxUrl = 300

function isHttps(url: string): boolean {
  return URL.parse(url)?.protocol === 'https:'
}

/** The `url` of an object content, as in image messages. */
function pictureIn(content: unknown): string {
  const { url } = (typeof content === 'object' && content !== null ? content : {}) as { url?: unknown }
  return typeof url === 'string' ? url : ''
}
