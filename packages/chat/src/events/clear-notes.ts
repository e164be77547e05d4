import { gather } from '@parley/async/gather'
import type { InFlight } from '@parley/async/in-flight'
import type { Db } from '@parley/db/connect'
import { deletePublished, type PendingEventsDoc } from '@parley/db/events/pending-events'
import { keepPublished } from '@parley/db/events/published-events'
import type { Log } from '../ports.ts'

/** Deletes the notes of which the bus has everything. */
export interface NoteClearing {
  /** Whether the note is being deleted: it need not be published any more. */
  has(note: string): boolean
  /** Deletes a note that others may wait for; it is kept as a published one for a while. */
  now(note: PublishedNote): void
  /** The same for a note that nobody waits for, with others. */
  soon(note: PublishedNote): void
  /** Deletes a note of new messages, which are found without it. */
  forget(note: string): void
  /** Settles when all deletions begun so far are over. */
  over(): Promise<void>
}

type PublishedNote = Pick<PendingEventsDoc, '_id' | 'atMS' | 'events'>

/** Nothing waits for a message's note to be deleted, so many are deleted together. */
const deleteEveryMS = 100
const mostAtOnce = 2_000

/** @param keptHours how long published notes are kept */
export function createNoteClearing(
  { db, log, inFlight }: { db: Db; log: Log; inFlight: InFlight },
  keptHours: number,
): NoteClearing {
  const published = new Map<string, Promise<unknown>>()
  const keep = async (notes: PublishedNote[]) => {
    await keepPublished(db, notes, keptHours)
    return notes
  }
  const erase = async (notes: string[]) => {
    await deletePublished(db, notes)
    return notes
  }
  const keepSoon = gather(keep, { most: mostAtOnce, waitMS: deleteEveryMS })
  const keepNow = gather(keep, { most: mostAtOnce })
  const eraseSoon = gather(erase, { most: mostAtOnce, waitMS: deleteEveryMS })

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
    has: (note) => published.has(note),
    now: (note) => clear(note._id, keepNow(note)),
    soon: (note) => clear(note._id, keepSoon(note)),
    forget: (note) => clear(note, eraseSoon(note)),
    async over() {
      await Promise.all(published.values())
    },
  }
}
