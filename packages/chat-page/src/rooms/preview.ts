import type { Message } from '@parley/client'
import { shownName } from '../app/shown-name.ts'
import { contentOf } from '../message/content.ts'
import { readPlainText, usePlainTexts } from '../message/formatted.ts'
import { useChat, useStore } from '../state/chat.ts'
import type { ChatConfig } from '../state/chat-config.ts'
import type { Texts } from '../texts/en.ts'

/** Single-line previews of messages, without Markdown marks. */
export function usePreviewOf(): (message: Message) => string {
  const { texts } = useChat()
  const plain = usePlainText()
  return (message) => previewOf(message, texts, (text) => plain(text, message.messageType))
}

/** Strips Markdown from a message's text, unless it is literal. */
export function usePlainText(): (text: string, messageType?: string) => string {
  const settings = useStore(useChat().config)
  const plain = usePlainTexts()
  return (text, messageType = 'text') => (isLiteral(messageType, settings) ? text : plain(text))
}

/** A message's preview for use outside the page, such as in a notification. */
export async function readPreview(message: Message, texts: Texts, settings: ChatConfig): Promise<string> {
  const content = contentOf(message)
  const isPlain = content.kind !== 'text' || isLiteral(message.messageType, settings)
  const text = isPlain ? '' : await readPlainText(content.text)
  return previewOf(message, texts, (written) => (isPlain ? written : text))
}

const isLiteral = (messageType: string, { literalText }: ChatConfig): boolean =>
  literalText && messageType !== 'markdown'

function previewOf(message: Message, texts: Texts, plain: (text: string) => string): string {
  if (message.isDeleted) return texts.deleted
  const content = contentOf(message)
  switch (content.kind) {
    case 'recalled':
      return texts.recalled
    case 'unsupported':
      return texts.unsupported
    case 'system':
      return texts.system[content.event]('').trim()
    case 'image':
      return texts.image
    case 'file':
      return shownName(content.name) || texts.file
    case 'text':
      return shownName(plain(content.text))
  }
}
