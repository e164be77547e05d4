import type { Message } from '@parley/contracts/resources/message'

/** The messageType of a message that was recalled. A message may be sent with it too, and can be recalled as any other. */
export const recalled = 'recall'

/** A recalled message has lost its content, which every message is sent with. */
export function isShownRecalled({ messageType, message }: Pick<Message, 'messageType' | 'message'>): boolean {
  return messageType === recalled && message === undefined
}
