import { clock } from '@parley/async/clock'
import { oldestUnpublished } from '@parley/db/events/pending-events'
import type { Chat } from '../chat.ts'

/** How long the oldest unpublished event has waited, in seconds: one or less when all is well. */
export async function outboxAge({ db }: Chat): Promise<number> {
  const oldest = await oldestUnpublished(db)
  return oldest === undefined ? 0 : Math.max(0, clock.now() - oldest) / 1000
}
