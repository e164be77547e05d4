import { batched } from '@parley/async/batch'
import type { InFlight } from '@parley/async/in-flight'
import type { Db } from '@parley/db/connect'
import type { PendingEventsDoc } from '@parley/db/events/documents'
import { deletePublished, keepPublished } from '@parley/db/events/outbox-store'
import type { Log } from '../ports.ts'

type PublishedNote = Pick<PendingEventsDoc, '_id' | 'atMS' | 'events'>

/** Nothing waits for the deletion of notes without an ordering key, so batches collect for longer. */
const unorderedEveryMS = 100
/** Until a note is deleted, another process that changes the same ordering key publishes it again before its own. */
const orderedEveryMS = 20
const mostAtOnce = 2_000

/**
 * Deletes notes whose events the bus has.
 * @param keptHours how long published notes are kept
 */
export function createNoteClearing({ db, log, inFlight }: { db: Db; log: Log; inFlight: InFlight }, keptHours: number) {
  const published = new Map<string, Promise<unknown>>()
  const keep = async (notes: PublishedNote[]) => {
    await keepPublished(db, notes, keptHours)
    return notes
  }
  const erase = async (notes: string[]) => {
    await deletePublished(db, notes)
    return notes
  }
  const keepOrdered = batched(keep, { most: mostAtOnce, waitMS: orderedEveryMS })
  const keepUnordered = batched(keep, { most: mostAtOnce, waitMS: unorderedEveryMS })
  const eraseSoon = batched(erase, { most: mostAtOnce, waitMS: unorderedEveryMS })

  function clear(note: string, work: Promise<unknown>): void {
    const done = work
      .catch((error: unknown) =>
        log.warn({ err: error, note }, 'outbox note not deleted; its events will be published again'),
      )
      .finally(() => published.delete(note))
    published.set(note, done)
    void inFlight.add(done)
  }

  return {
    /** Whether the note is being deleted and need not be published again. */
    has: (note: string) => published.has(note),
    /** Deletes a note with an ordering key, and keeps it as a published one for a while. */
    ordered: (note: PublishedNote) => clear(note._id, keepOrdered(note)),
    /** Like `ordered`, for a note without an ordering key. */
    unordered: (note: PublishedNote) => clear(note._id, keepUnordered(note)),
    /** Deletes a note of new messages without keeping it: republishing finds messages without notes. */
    forget: (note: string) => clear(note, eraseSoon(note)),
    /** Settles when all deletions begun so far have ended. */
    async over() {
      await Promise.all(published.values())
    },
  }
}
export type NoteClearing = ReturnType<typeof createNoteClearing>
