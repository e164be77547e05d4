import type { Message } from '../generated/types.ts'

/**
 * The text of a message's content: a string, or the `text` of an object. Empty where there is none, and of a message that
 * was deleted or recalled.
 */
export function textOf(message: Partial<Pick<Message, 'message' | 'isDeleted' | 'messageType'>>): string {
  const { message: content, isDeleted, messageType } = message
  if (isDeleted || messageType === 'recall') return ''
  const text: unknown = typeof content === 'object' && content !== null && 'text' in content ? content.text : content
  return typeof text === 'string' ? text : ''
}
