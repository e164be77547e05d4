import type { Message } from '../generated/types.ts'

/** The text of a message: its content, or the content's `text`. Empty if deleted, recalled or without a text. */
export function textOf(message: Partial<Pick<Message, 'message' | 'isDeleted' | 'messageType'>>): string {
  const { message: content, isDeleted, messageType } = message
  return isDeleted || messageType === 'recall' ? '' : textIn(content)
}

/** The text of a message's content. */
export function textIn(content: unknown): string {
  const text = typeof content === 'object' && content !== null && 'text' in content ? content.text : content
  return typeof text === 'string' ? text : ''
}
