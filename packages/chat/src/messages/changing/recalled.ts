import type { Message } from '@parley/contracts/resources/message'
import { type MessageDoc } from '@parley/db/messages/documents'

/** The messageType of a message that was recalled. A message may be sent with it too, and can be recalled as any other. */
export const recalled = 'recall'

/** A recalled message has lost its content, which every message is sent with. */
export function isRecalled({ messageType, content }: Pick<MessageDoc, 'messageType' | 'content'>): boolean {
  return messageType === recalled && content === undefined
}

/** The same of a Message as it is shown. */
export function isShownRecalled({ messageType, message }: Pick<Message, 'messageType' | 'message'>): boolean {
  return messageType === recalled && message === undefined
}
