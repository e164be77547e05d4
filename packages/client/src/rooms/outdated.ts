import type { Message } from '../generated/types.ts'

/** What is older than what is known arrived late. */
export function isOutdated(message: Message, known: Message | undefined): boolean {
  return known !== undefined && (known.updatedAtMS > message.updatedAtMS || (known.isDeleted && !message.isDeleted))
}
