import type { Message } from '../generated/types.ts'

/** An event older than the known state arrived late. */
export function isOutdated(message: Message, known: Message | undefined): boolean {
  return known !== undefined && (known.updatedAtMS > message.updatedAtMS || (known.isDeleted && !message.isDeleted))
}
