import { batched } from '@parley/async/batch'
import type { InFlight } from '@parley/async/in-flight'
import type { Db } from '@parley/db/connect'
import type { OutboxEntry } from '@parley/db/events/documents'
import { deletePublished, keepPublished } from '@parley/db/events/outbox-store'
import type { Log } from '../ports.ts'

type EntryToKeep = Pick<OutboxEntry, '_id' | 'atMS' | 'events'>

/** Nothing waits for the deletion of entries without an ordering key, so batches collect for longer. */
const unorderedEveryMS = 100
/** Until an entry is deleted, another process that changes the same ordering key publishes it again before its own. */
const orderedEveryMS = 20
const maxAtOnce = 2_000

/**
 * Deletes entries whose events the bus has.
 * @param keptHours how long published entries are kept
 */
export function createEntryCleanup({ db, log, inFlight }: { db: Db; log: Log; inFlight: InFlight }, keptHours: number) {
  const published = new Map<string, Promise<unknown>>()
  const keep = async (entries: EntryToKeep[]) => {
    await keepPublished(db, entries, keptHours)
    return entries
  }
  const erase = async (entries: string[]) => {
    await deletePublished(db, entries)
    return entries
  }
  const keepOrdered = batched(keep, { max: maxAtOnce, waitMS: orderedEveryMS })
  const keepUnordered = batched(keep, { max: maxAtOnce, waitMS: unorderedEveryMS })
  const eraseSoon = batched(erase, { max: maxAtOnce, waitMS: unorderedEveryMS })

  function clear(entry: string, work: Promise<unknown>): void {
    const done = work
      .catch((error: unknown) =>
        log.warn({ err: error, entry }, 'outbox entry not deleted; its events will be published again'),
      )
      .finally(() => published.delete(entry))
    published.set(entry, done)
    void inFlight.add(done)
  }

  return {
    /** Whether the entry is being deleted and need not be published again. */
    has: (entry: string) => published.has(entry),
    /** Deletes an entry with an ordering key, and keeps it as a published one for a while. */
    ordered: (entry: EntryToKeep) => clear(entry._id, keepOrdered(entry)),
    /** Like `ordered`, for an entry without an ordering key. */
    unordered: (entry: EntryToKeep) => clear(entry._id, keepUnordered(entry)),
    /** Deletes an entry of new messages without keeping it: republishing finds messages without entries. */
    forget: (entry: string) => clear(entry, eraseSoon(entry)),
    /** Settles when all deletions begun so far have ended. */
    async over() {
      await Promise.all(published.values())
    },
  }
}
export type EntryCleanup = ReturnType<typeof createEntryCleanup>
