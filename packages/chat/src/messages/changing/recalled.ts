import type { Message } from '@parley/contracts/resources/message'
import { type MessageChange, ofStream } from '@parley/db/messages/change-messages'

/**
 * The messageType of a recalled message. A message may also be sent with this type, and can be recalled like any other.
 */
export const recalled = 'recall'

export const recall = {
  set: { messageType: recalled, recalled: true },
  without: ['content', 'mentions', 'attachments', 'pinned', ...ofStream],
} as const satisfies MessageChange

/** A recalled message has no content; every sent message has some. */
export function isShownRecalled({ messageType, message }: Pick<Message, 'messageType' | 'message'>): boolean {
  return messageType === recalled && message === undefined
}
