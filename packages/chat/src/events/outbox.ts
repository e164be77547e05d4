import { setTimeout as pause } from 'node:timers/promises'
import { batched } from '@parley/async/batch'
import { clock } from '@parley/async/clock'
import { createInFlight } from '@parley/async/in-flight'
import type { NodeCommand } from '@parley/contracts/bus/control'
import type { Db } from '@parley/db/connect'
import type { NotedEvent, PendingEventsDoc } from '@parley/db/events/documents'
import {
  findByOrderingKey,
  insertNotes,
  insertUnordered,
  type KeyedEvents,
  maxPerOrderingKey,
} from '@parley/db/events/outbox-store'
import { newId } from '@parley/db/messages/messages'
import type { RoomDoc } from '@parley/db/rooms/documents'
import type { Session } from '@parley/db/transactions/transaction'
import { tokenCacheExpiredAfterMS } from '../access/token-cache.ts'
import type { Steps } from '../ports.ts'
import { type AsOfNow, nothingKnown, readAsOfNow } from './as-of-now.ts'
import { createNoteClearing, type NoteClearing } from './clear-notes.ts'
import { roomOrderingKey } from './ordering-keys.ts'
import { type PublishParts, publishInOrder, publishOne } from './publish-events.ts'

/** The events of changes: noted with the change, published after it, deleted when the bus has them (ARCHITECTURE.md). */
export interface Outbox {
  /**
   * Notes the events of changes, each with an ordering key of its own, inside their transaction. Costs one round trip,
   * or none without events. One result per change, in order.
   * @param waiting notes that already wait under the ordering keys, as findByOrderingKey returns them, read after the
   *   documents that the changes conflict on; by default read here
   */
  note(changes: readonly KeyedEvents[], session: Session, waiting?: readonly PendingEventsDoc[]): Promise<Noted[]>
  /**
   * Publishes notes after the commit, preceded by those that wait under the same ordering key. Never fails: the relay
   * publishes later the events that the bus does not accept.
   * @param now the documents that the change has just written
   * @returns whether the bus has everything
   */
  publish(noted: Noted, now: AsOfNow): Promise<boolean>
  /**
   * The same; resolves as soon as the nodes have confirmed the node commands. Events after the last command go out meanwhile.
   */
  publishCommands(noted: Noted, now: AsOfNow): Promise<void>
  /**
   * Publishes everything that waits under these ordering keys, until the signal aborts; returns whether nothing waits
   * any more. Never fails.
   */
  publishKeys(orderingKeys: readonly string[], signal?: AbortSignal): Promise<boolean>
  /**
   * Publishes unpublished deletions of all messages of these rooms, preceded by the notes that wait before them.
   * Returns whether the bus has them; until then, do not publish later events of the rooms. Never fails.
   */
  publishDeletions(rooms: readonly MaybeDeletedIn[]): Promise<boolean>
  /** Publishes events that are not in a note, such as new messages. Never fails; returns whether the bus has all. */
  publishEvents(events: readonly NotedEvent[], now: AsOfNow): Promise<boolean>
  /** Deletes a note of new messages: the bus has all of its events. */
  forget(note: string): void
  /** Publishes a note of events without an ordering key, such as new messages. Never fails, like `publish`. */
  publishNote(note: UnorderedNote, now: AsOfNow): Promise<boolean>
  /**
   * Notes and publishes an event that changes nothing in the database; fails only when it cannot be noted. Concurrent
   * calls share a round trip.
   */
  noteAndPublish(event: NotedEvent): Promise<void>
  /** Resolves when every publish in flight has ended. */
  drained(): Promise<void>
}

type UnorderedNote = Pick<PendingEventsDoc, '_id' | 'events'> & Partial<Pick<PendingEventsDoc, 'atMS'>>

/** New notes, and the notes that wait before them under the same ordering key. */
export interface Noted {
  notes: readonly PendingEventsDoc[]
  before: readonly PendingEventsDoc[]
}

const nothingNoted: Noted = { notes: [], before: [] }

export function createOutbox(db: Db, parts: PublishParts & { steps: Steps; keptHours: number }): Outbox {
  const { log } = parts
  const inFlight = createInFlight()
  const cleared = createNoteClearing({ db, log, inFlight }, parts.keptHours)
  const publishAllOf = (orderingKeys: readonly string[], signal?: AbortSignal) =>
    publishKeys({ ...parts, db, cleared }, orderingKeys, signal)

  const noteAlone = batched(
    async (events: NotedEvent[]) => {
      const notes = events.map((event) => ({ _id: newId(), atMS: clock.now(), events: [event] }))
      await insertUnordered(db, notes)
      return notes
    },
    { most: 100 },
  )

  const publish = (noted: Noted, now: AsOfNow, onConfirmed?: () => void): Promise<boolean> =>
    waitForExpiry(noted.notes, (confirmed) => publishInTurn(noted, now, confirmed), onConfirmed)

  async function publishInTurn({ notes, before }: Noted, now: AsOfNow, confirmed: () => void): Promise<boolean> {
    const notedAtMS = notes[0]?.atMS
    if (notedAtMS === undefined) return true
    if (before.length >= maxPerOrderingKey || clock.now() > notedAtMS + staleAfterMS) return false
    const waiting = before.filter(({ _id }) => !cleared.has(_id))
    const all = [...waiting, ...notes]
    const untilMS = performance.now() + notedAtMS + staleAfterMS - clock.now()
    const asRead = waiting.length === 0 ? now : await readAsOfNow(db, all)
    return publishInOrder({ ...parts, cleared, untilMS }, all, asRead, confirmed)
  }

  async function publishEvents(events: readonly NotedEvent[], now: AsOfNow): Promise<boolean> {
    const published = await Promise.all(events.map((event) => publishOne(parts, event, now)))
    return published.every(Boolean)
  }

  async function publishNote(note: UnorderedNote, now: AsOfNow): Promise<boolean> {
    if (!(await publishEvents(note.events, now))) return false
    cleared.unordered({ atMS: clock.now(), ...note })
    return true
  }

  /** Runs work that fails only with the database: then the note stays for the relay. */
  function run(work: Promise<boolean>): Promise<boolean> {
    const safe = work.catch((error: unknown) => {
      log.warn({ err: error }, 'outbox not read; its events will be published later')
      return false
    })
    return inFlight.add(safe)
  }

  return {
    note: (changes, session, waiting) => noteChanges(db, changes, session, waiting),
    publish: (noted, now) => run(publish(noted, now)),
    async publishCommands(noted, now) {
      const { promise: confirmed, resolve } = Promise.withResolvers<void>()
      await Promise.race([confirmed, run(publish(noted, now, resolve))])
    },
    publishKeys: (orderingKeys, signal) => run(publishAllOf(orderingKeys, signal)),
    async publishDeletions(rooms) {
      const orderingKeys = keysOfDeletions(rooms)
      return orderingKeys.length === 0 || run(publishAllOf(orderingKeys))
    },
    publishEvents: (events, now) => run(publishEvents(events, now)),
    forget: (note) => cleared.forget(note),
    publishNote: (note, now) => run(publishNote(note, now)),
    async noteAndPublish(event) {
      await run(publishNote(await noteAlone(event), nothingKnown))
    },
    drained: () => inFlight.drained(),
  }
}

async function noteChanges(
  db: Db,
  changes: Parameters<Outbox['note']>[0],
  session: Session,
  known?: readonly PendingEventsDoc[],
): Promise<Noted[]> {
  const withEvents = changes.filter(({ events }) => events.length > 0)
  if (withEvents.length === 0) return changes.map(() => nothingNoted)
  const orderingKeys = withEvents.map(({ orderingKey }) => orderingKey)
  const limit = maxPerOrderingKey * orderingKeys.length
  // Outside the transaction, in parallel: every conflicting change is committed already.
  const [notes, found] = await Promise.all([
    insertNotes(db, withEvents, session),
    known ?? findByOrderingKey(db, orderingKeys),
  ])
  const waiting = Map.groupBy(found, ({ orderingKey }) => orderingKey)
  // If more are waiting than were read, the relay publishes them all.
  const beforeOf = (orderingKey: string) => (found.length >= limit ? found : (waiting.get(orderingKey) ?? []))
  const noted = new Map(
    orderingKeys.map((orderingKey, i) => [orderingKey, { notes: notes[i] ?? [], before: beforeOf(orderingKey) }]),
  )
  return changes.map(({ orderingKey }) => noted.get(orderingKey) ?? nothingNoted)
}

type PublishKeysParts = PublishParts & { db: Db; steps: Steps; cleared: NoteClearing }

/** Below the dedupe window of the stream and the nodes; later, other processes can have published the notes. */
const staleAfterMS = 60_000

/**
 * Publishes everything that waits under these ordering keys, until the signal aborts; returns whether nothing waits any
 * more.
 */
async function publishKeys(
  parts: PublishKeysParts,
  orderingKeys: readonly string[],
  signal?: AbortSignal,
): Promise<boolean> {
  // Without keys, the limit of 0 would count as reached.
  if (orderingKeys.length === 0) return true
  const most = maxPerOrderingKey * orderingKeys.length
  for (let first: string | undefined; ; ) {
    const untilMS = performance.now() + staleAfterMS
    const found = await findByOrderingKey(parts.db, orderingKeys)
    // The notes of the previous round were not deleted.
    if (found.length > 0 && found[0]?._id === first) return false
    first = found[0]?._id
    if (!(await publishFound({ ...parts, untilMS }, found))) return false
    if (found.length < most) return true
    if (signal?.aborted) return false
    await parts.cleared.over()
  }
}

async function publishFound(
  parts: PublishKeysParts & { untilMS: number },
  found: readonly PendingEventsDoc[],
): Promise<boolean> {
  const notes = found.filter(({ _id }) => !parts.cleared.has(_id))
  if (notes.length === 0) return true
  const now = await readAsOfNow(parts.db, notes)
  const byKey = [...Map.groupBy(notes, ({ orderingKey }) => orderingKey).values()]
  const done = await Promise.all(byKey.map((own) => publishInOrder(parts, own, now)))
  return done.every(Boolean)
}

/**
 * Publishes the notes of a change. If a node command that ends tokens is not confirmed, this process may be cut off
 * while gateways that cache the tokens are not: then it waits until their leases have expired.
 */
async function waitForExpiry<T>(
  notes: readonly Pick<PendingEventsDoc, 'events'>[],
  publish: (confirmed: () => void) => Promise<T>,
  onConfirmed: () => void = () => undefined,
): Promise<T> {
  let isConfirmed = false
  const confirmed = () => {
    isConfirmed = true
    onConfirmed()
  }
  try {
    return await publish(confirmed)
  } finally {
    if (!isConfirmed && endTokens(notes)) await pause(tokenCacheExpiredAfterMS)
  }
}

function endTokens(notes: readonly Pick<PendingEventsDoc, 'events'>[]): boolean {
  const commands = notes.flatMap(({ events }) => events).filter(({ kind }) => kind === 'command')
  return commands.some((event) => 'json' in event && (JSON.parse(event.json) as NodeCommand).do === 'revoked')
}

/** A room that may have an unpublished deletion of all its messages. */
type MaybeDeletedIn = Pick<RoomDoc, '_id' | 'app' | 'id' | 'erasing'>

/** The ordering keys of unpublished deletions of all messages. */
function keysOfDeletions(rooms: readonly MaybeDeletedIn[]): string[] {
  return rooms.flatMap(({ app, id, erasing }) => (erasing?.unpublished === undefined ? [] : [roomOrderingKey(app, id)]))
}
