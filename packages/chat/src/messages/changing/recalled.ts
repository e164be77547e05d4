import type { Message } from '@parley/contracts/resources/message'

/** The messageType of a recalled message. A message can also be sent with this type, and is recalled like any other. */
export const recalled = 'recall'

/** A recalled message has no content; every sent message has some. */
export function isShownRecalled({ messageType, message }: Pick<Message, 'messageType' | 'message'>): boolean {
  return messageType === recalled && message === undefined
}
