import { setTimeout as pause } from 'node:timers/promises'
import { batched } from '@parley/async/batch'
import { clock } from '@parley/async/clock'
import { createInFlight } from '@parley/async/in-flight'
import { isMove, type NodeCommand } from '@parley/contracts/bus/control'
import type { Db, Session } from '@parley/db/connect'
import { givenUpAfterMS } from '@parley/db/due-work'
import type { NotedEvent, PendingEventsDoc } from '@parley/db/events/documents'
import {
  findByOrderingKey,
  insertNotes,
  insertUnordered,
  type KeyedEvents,
  maxPerOrderingKey,
} from '@parley/db/events/outbox-store'
import { newId } from '@parley/db/messages/messages'
import { cacheExpiredAfterMS } from '../leased-cache.ts'
import type { Steps } from '../ports.ts'
import { type AsOfNow, nothingKnown, readAsOfNow, stillWritten } from './as-of-now.ts'
import { createBeforeMessages, type RoomWithMessages } from './before-messages.ts'
import { createNoteClearing, type NoteClearing } from './clear-notes.ts'
import { type PublishParts, publishInOrder, publishOne } from './publish-events.ts'

/**
 * Transactional outbox: events are noted with the change, published after it, and deleted once the bus has them
 * (ARCHITECTURE.md).
 */
export interface Outbox {
  /**
   * Notes the events of changes inside their transaction, each under its ordering key. Costs one round trip, or none
   * without events. Returns one result per change, in order.
   * @param waiting notes already waiting under the ordering keys, as returned by findByOrderingKey and read after the
   * documents that the changes conflict on; read here by default
   */
  note(changes: readonly KeyedEvents[], session: Session, waiting?: readonly PendingEventsDoc[]): Promise<Noted[]>
  /**
   * Publishes notes after the commit, preceded by those that wait under the same ordering key. Never fails: the relay
   * later publishes events that the bus did not accept.
   * @param now the documents that the change has just written
   * @returns whether the bus has everything
   */
  publish(noted: Noted, now: AsOfNow): Promise<boolean>
  /**
   * Like `publish`, but settles as soon as the nodes have confirmed the node commands. Later events are published in
   * the background.
   * @param room whose messages wait for the commands
   */
  publishCommands(noted: Noted, now: AsOfNow, room?: RoomWithMessages): Promise<void>
  /**
   * Publishes everything that waits under these ordering keys, until the signal aborts. Returns whether nothing waits
   * any more. Never fails.
   */
  publishKeys(orderingKeys: readonly string[], signal?: AbortSignal): Promise<boolean>
  /**
   * Publishes what must precede new messages of a room: see createBeforeMessages. Resolves to whether the bus has it;
   * until then, do not publish them. Undefined if nothing precedes them. Never fails.
   */
  publishBeforeMessages(room: RoomWithMessages): Promise<boolean> | undefined
  /**
   * Publishes events that are not noted, such as new messages. Returns whether the bus has all. Never fails.
   * @param atMS when `now` was written (Unix milliseconds), by default just now
   */
  publishEvents(events: readonly NotedEvent[], now: AsOfNow, atMS?: number): Promise<boolean>
  /** Deletes a note of new messages whose events the bus has. */
  forget(note: string): void
  /** Publishes a note without an ordering key, such as one of new messages. Never fails, like `publish`. */
  publishNote(note: UnorderedNote, now: AsOfNow): Promise<boolean>
  /**
   * Notes and publishes an event without a database change. Fails only if it cannot be noted. Concurrent calls share a
   * round trip.
   */
  noteAndPublish(event: NotedEvent): Promise<void>
  /** Settles when no publish is in flight. */
  drained(): Promise<void>
}

type UnorderedNote = Pick<PendingEventsDoc, '_id' | 'events'> & Partial<Pick<PendingEventsDoc, 'atMS'>>

/** New notes, and the notes waiting before them under the same ordering key. */
export interface Noted {
  notes: readonly PendingEventsDoc[]
  before: readonly PendingEventsDoc[]
}

/** The result for a change without events. */
export const nothingNoted: Noted = { notes: [], before: [] }

export function createOutbox(db: Db, parts: PublishParts & { steps: Steps; keptHours: number }): Outbox {
  const { log } = parts
  const inFlight = createInFlight()
  const cleared = createNoteClearing({ db, log, inFlight }, parts.keptHours)
  const publishing = { ...parts, db, cleared }
  const publishAllOf = (orderingKeys: readonly string[], signal?: AbortSignal) =>
    publishKeys(publishing, orderingKeys, signal)

  const noteAlone = batched(
    async (events: NotedEvent[]) => {
      const notes = events.map((event) => ({ _id: newId(), atMS: clock.now(), events: [event] }))
      await insertUnordered(db, notes)
      return notes
    },
    { most: 100 },
  )

  const publish = (noted: Noted, now: AsOfNow, onConfirmed?: () => void): Promise<boolean> =>
    untilApplied(publishing, noted.notes, (confirmed) => publishInTurn(noted, now, confirmed), onConfirmed)

  async function publishInTurn({ notes, before }: Noted, now: AsOfNow, confirmed: () => void): Promise<boolean> {
    const notedAtMS = notes[0]?.atMS
    if (notedAtMS === undefined) return true
    if (before.length >= maxPerOrderingKey || clock.now() > notedAtMS + staleAfterMS) return false
    const waiting = before.filter(({ _id }) => !cleared.has(_id))
    const all = [...waiting, ...notes]
    const untilMS = performance.now() + notedAtMS + staleAfterMS - clock.now()
    const asRead = waiting.length === 0 ? await stillWritten(db, all, now, notedAtMS) : await readAsOfNow(db, all)
    return publishInOrder({ ...parts, cleared, untilMS }, all, asRead, confirmed)
  }

  async function publishEvents(events: readonly NotedEvent[], written: AsOfNow, atMS = clock.now()): Promise<boolean> {
    const now = await stillWritten(db, [{ events: [...events] }], written, atMS)
    const published = await Promise.all(events.map((event) => publishOne(parts, event, now)))
    return published.every(Boolean)
  }

  async function publishNote(note: UnorderedNote, now: AsOfNow): Promise<boolean> {
    if (!(await publishEvents(note.events, now))) return false
    cleared.unordered({ atMS: clock.now(), ...note })
    return true
  }

  /** Runs work that fails only if the database does. The note then stays for the relay. */
  function run(work: Promise<boolean>): Promise<boolean> {
    const safe = work.catch((error: unknown) => {
      log.warn({ err: error }, 'outbox not read; its events will be published later')
      return false
    })
    return inFlight.add(safe)
  }

  const beforeMessages = createBeforeMessages((orderingKeys) => run(publishAllOf(orderingKeys)))

  return {
    note: (changes, session, waiting) => noteChanges(db, changes, session, waiting),
    publish: (noted, now) => run(publish(noted, now)),
    async publishCommands(noted, now, room) {
      const { promise: confirmed, resolve } = Promise.withResolvers<boolean>()
      const arePublished = Promise.race([confirmed, run(publish(noted, now, () => resolve(true)))])
      await (room ? beforeMessages.joinsOf(room, arePublished) : arePublished)
    },
    publishKeys: (orderingKeys, signal) => run(publishAllOf(orderingKeys, signal)),
    publishBeforeMessages: (room) => beforeMessages.publish(room),
    publishEvents: (events, now, atMS) => run(publishEvents(events, now, atMS)),
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
  // Reads outside the transaction, in parallel: every conflicting change is already committed.
  const [notes, found] = await Promise.all([
    insertNotes(db, withEvents, session),
    known ?? findByOrderingKey(db, orderingKeys),
  ])
  const waiting = Map.groupBy(found, ({ orderingKey }) => orderingKey)
  // If more are waiting than were read, leaves all of them to the relay.
  const beforeOf = (orderingKey: string) => (found.length >= limit ? found : (waiting.get(orderingKey) ?? []))
  const noted = new Map(
    orderingKeys.map((orderingKey, i) => [orderingKey, { notes: notes[i] ?? [], before: beforeOf(orderingKey) }]),
  )
  return changes.map(({ orderingKey }) => noted.get(orderingKey) ?? nothingNoted)
}

type PublishKeysParts = PublishParts & { db: Db; steps: Steps; cleared: NoteClearing }

/** Below the dedupe window of the stream and the nodes. After this, other processes may have published the notes. */
const staleAfterMS = 60_000

async function publishKeys(
  parts: PublishKeysParts,
  orderingKeys: readonly string[],
  signal?: AbortSignal,
): Promise<boolean> {
  // Otherwise the limit of 0 would count as reached.
  if (orderingKeys.length === 0) return true
  const most = maxPerOrderingKey * orderingKeys.length
  for (let first: string | undefined; ; ) {
    const untilMS = performance.now() + staleAfterMS
    const found = await findByOrderingKey(parts.db, orderingKeys)
    // The notes of the previous round could not be deleted.
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

type Unpublished = Pick<PendingEventsDoc, 'orderingKey' | 'events'>

function commandsOf(notes: readonly Unpublished[]): NodeCommand[] {
  const events = notes.flatMap((note) => note.events)
  return events.flatMap((event) => (event.kind === 'command' ? [JSON.parse(event.json) as NodeCommand] : []))
}

/** By then the relay of another process has published a note. */
export const relayedWithinMS = givenUpAfterMS + 2_000
const lookAgainMS = 250

/**
 * Publishes the notes of a change. If their commands are not confirmed, this process may be cut off from nodes and caches
 * that others still reach. So it waits until a removal is published, and until entries that a command makes stale have
 * expired.
 */
async function untilApplied<T>(
  parts: PublishKeysParts,
  notes: readonly Unpublished[],
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
    const expired = isConfirmed || commandsOf(notes).every(isMove) ? undefined : pause(cacheExpiredAfterMS)
    if (!isConfirmed) await untilRelayed(parts, notes)
    await expired
  }
}

/** Whether sockets lose something that they would still hear. */
function isRemoval({ do: what }: NodeCommand): boolean {
  return what === 'left' || what === 'revoked' || what === 'appDeleted'
}

async function untilRelayed(parts: PublishKeysParts, notes: readonly Unpublished[]): Promise<void> {
  const removing = notes.filter((note) => commandsOf([note]).some(isRemoval))
  const orderingKeys = removing.flatMap(({ orderingKey }) => orderingKey ?? [])
  const untilMS = performance.now() + relayedWithinMS
  const isPublished = async () =>
    parts.bus.connected
      ? publishKeys(parts, orderingKeys)
      : (await findByOrderingKey(parts.db, orderingKeys)).length === 0
  while (orderingKeys.length > 0 && performance.now() < untilMS && !(await isPublished())) await pause(lookAgainMS)
}
