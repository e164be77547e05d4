import type { NotedEvent, PendingEventsDoc } from '@parley/db/events/pending-events'
import type { Steps } from '../ports.ts'
import type { AsOfNow } from './as-of-now.ts'
import type { NoteClearing } from './clear-notes.ts'
import type { PublishParts } from './publish-noted.ts'
import { publishOne } from './publish-one.ts'

/**
 * Publishes notes one after the other, up to the first that the bus does not accept, and none after `untilMS`
 * (`performance.now()`).
 * @param ordered called when all the orders among them hold
 * @returns whether the bus has all
 */
export async function publishInOrder(
  parts: PublishParts & { steps: Steps; cleared: Pick<NoteClearing, 'ofLane'>; untilMS: number },
  notes: readonly PendingEventsDoc[],
  now: AsOfNow,
  ordered: () => void = () => undefined,
): Promise<boolean> {
  let orders = notes.flatMap(({ events }) => events).filter(isOrder).length
  if (orders === 0) ordered()
  for (const note of notes) {
    for (const event of note.events) {
      if (performance.now() > parts.untilMS || !(await publishOne(parts, event, now))) return false
      if (isOrder(event) && --orders === 0) ordered()
    }
    parts.cleared.ofLane(note)
  }
  return true
}

function isOrder({ kind }: NotedEvent): boolean {
  return kind === 'order'
}
