import type { Message } from '../generated/types.ts'

/** Whether an event arrived late, after a newer state of the message. */
export function isOutdated(message: Message, known: Message | undefined): boolean {
  return known !== undefined && (known.updatedAtMS > message.updatedAtMS || (known.isDeleted && !message.isDeleted))
}
