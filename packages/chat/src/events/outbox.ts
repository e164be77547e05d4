import { setTimeout as pause } from 'node:timers/promises'
import { batched } from '@parley/async/batch'
import { clock } from '@parley/async/clock'
import { createInFlight } from '@parley/async/in-flight'
import { isMove, type NodeCommand } from '@parley/contracts/bus/control'
import type { Db, Session } from '@parley/db/connect'
import { givenUpAfterMS } from '@parley/db/due-work'
import type { OutboxEntry, OutboxEvent } from '@parley/db/events/documents'
import {
  findByOrderingKey,
  insertEntries,
  insertUnordered,
  type KeyedEvents,
  maxPerOrderingKey,
} from '@parley/db/events/outbox-store'
import { newId } from '@parley/db/messages/messages'
import { cacheExpiredAfterMS } from '../leased-cache.ts'
import type { Tracing } from '../ports.ts'
import { createBeforeMessages, type RoomWithMessages } from './before-messages.ts'
import { type CurrentDocs, noDocs, readCurrentDocs, refreshIfStale } from './current-docs.ts'
import { createEntryCleanup, type EntryCleanup } from './entry-cleanup.ts'
import { type PublishParts, publishInOrder, publishOne } from './publish-events.ts'

/**
 * Transactional outbox: events are stored with the change, published after it, and deleted once the bus has them
 * (ARCHITECTURE.md).
 */
export interface Outbox {
  /**
   * Notes the events of changes inside their transaction, each under its ordering key. Costs one round trip, or none
   * without events. Returns one result per change, in order.
   * @param waiting entries already waiting under the ordering keys, as returned by findByOrderingKey and read after the
   * documents that the changes conflict on; read here by default
   */
  add(changes: readonly KeyedEvents[], session: Session, waiting?: readonly OutboxEntry[]): Promise<ChangeEntries[]>
  /**
   * Publishes entries after the commit, preceded by those that wait under the same ordering key. Never fails: the relay
   * later publishes events that the bus did not accept.
   * @param now the documents that the change has just written
   * @returns whether the bus has everything
   */
  publish(entries: ChangeEntries, now: CurrentDocs): Promise<boolean>
  /**
   * Publishes entries about messages of a room, after what must precede them (see createBeforeMessages). If the bus does not
   * accept that, the relay publishes all. Never fails.
   */
  publishInRoom(room: RoomWithMessages, entries: ChangeEntries, now: CurrentDocs): Promise<boolean>
  /**
   * Like `publish`, but settles as soon as the nodes have confirmed the node commands. Later events are published in
   * the background.
   * @param room its messages wait for the commands
   */
  publishCommands(entries: ChangeEntries, now: CurrentDocs, room?: RoomWithMessages): Promise<void>
  /**
   * Publishes everything that waits under these ordering keys, until the signal aborts. Returns whether nothing waits
   * any more. Fails only if the database does.
   */
  publishKeys(orderingKeys: readonly string[], signal?: AbortSignal): Promise<boolean>
  /**
   * Publishes what must precede new messages of a room: see createBeforeMessages. Resolves to whether the bus has it;
   * until then, do not publish them. Undefined if nothing precedes them. Never fails.
   */
  publishBeforeMessages(room: RoomWithMessages): Promise<boolean> | undefined
  /**
   * Publishes events that are not in the outbox, such as new messages. Returns whether the bus has all. Never fails.
   * @param atMS when `now` was written (Unix milliseconds), by default just now
   */
  publishEvents(events: readonly OutboxEvent[], now: CurrentDocs, atMS?: number): Promise<boolean>
  /** Deletes an entry of new messages whose events the bus has. */
  forget(entry: string): void
  /** Publishes an entry without an ordering key, such as one of new messages. Never fails, like `publish`. */
  publishEntry(entry: UnorderedEntry, now: CurrentDocs): Promise<boolean>
  /**
   * Stores and publishes an event without a database change. Fails only if it cannot be stored. Concurrent calls share a
   * round trip.
   */
  storeAndPublish(event: OutboxEvent): Promise<void>
  /** Settles when no publish is in flight. */
  drained(): Promise<void>
}

type UnorderedEntry = Pick<OutboxEntry, '_id' | 'events'> & Partial<Pick<OutboxEntry, 'atMS'>>

/** The entries of a change, and those waiting before them under the same ordering key. */
export interface ChangeEntries {
  own: readonly OutboxEntry[]
  before: readonly OutboxEntry[]
}

export const noEntries: ChangeEntries = { own: [], before: [] }

export function createOutbox(db: Db, parts: PublishParts & { tracing: Tracing; keptHours: number }): Outbox {
  const { log } = parts
  const inFlight = createInFlight()
  const cleanup = createEntryCleanup({ db, log, inFlight }, parts.keptHours)
  const publishing = { ...parts, db, cleanup }

  const insertAlone = batched(
    async (events: OutboxEvent[]) => {
      const entries = events.map((event) => ({ _id: newId(), atMS: clock.now(), events: [event] }))
      await insertUnordered(db, entries)
      return entries
    },
    { max: 100 },
  )

  const publish = (entries: ChangeEntries, now: CurrentDocs, onConfirmed?: () => void): Promise<boolean> =>
    untilApplied(publishing, entries.own, (confirmed) => publishNext(entries, now, confirmed), onConfirmed)

  async function publishNext({ own, before }: ChangeEntries, now: CurrentDocs, confirmed: () => void) {
    const storedAtMS = own[0]?.atMS
    if (storedAtMS === undefined) return true
    if (before.length >= maxPerOrderingKey || clock.now() > storedAtMS + staleAfterMS) return false
    const waiting = before.filter(({ _id }) => !cleanup.has(_id))
    const all = [...waiting, ...own]
    const untilMS = performance.now() + storedAtMS + staleAfterMS - clock.now()
    const asRead =
      waiting.length === 0 ? await refreshIfStale(db, all, now, storedAtMS) : await readCurrentDocs(db, all)
    return publishInOrder({ ...parts, cleanup, untilMS }, all, asRead, confirmed)
  }

  async function publishEvents(events: readonly OutboxEvent[], written: CurrentDocs, atMS = clock.now()) {
    const now = await refreshIfStale(db, [{ events: [...events] }], written, atMS)
    const published = await Promise.all(events.map((event) => publishOne(parts, event, now)))
    return published.every(Boolean)
  }

  async function publishEntry(entry: UnorderedEntry, now: CurrentDocs): Promise<boolean> {
    if (!(await publishEvents(entry.events, now))) return false
    cleanup.unordered({ atMS: clock.now(), ...entry })
    return true
  }

  /** Runs work that fails only if the database does. The entry then stays for the relay. */
  function run(work: Promise<boolean>): Promise<boolean> {
    const safe = work.catch((error: unknown) => {
      log.warn({ err: error }, 'outbox not read; its events will be published later')
      return false
    })
    return inFlight.add(safe)
  }

  const beforeMessages = createBeforeMessages({
    publishKeys: (orderingKeys) => run(publishKeys(publishing, orderingKeys)),
    publishJoins: (orderingKey) => run(publishKeys(publishing, [orderingKey], { ifJoins: true })),
  })

  return {
    add: (changes, session, waiting) => insertChanges(db, changes, session, waiting),
    publish: (entries, now) => run(publish(entries, now)),
    async publishInRoom(room, entries, now) {
      if ((await beforeMessages.publish(room)) === false) return false
      return run(publish(entries, now))
    },
    async publishCommands(entries, now, room) {
      const { promise: confirmed, resolve } = Promise.withResolvers<boolean>()
      const arePublished = Promise.race([confirmed, run(publish(entries, now, () => resolve(true)))])
      await (room ? beforeMessages.joinsOf(room, arePublished) : arePublished)
    },
    publishKeys: (orderingKeys, signal) => inFlight.add(publishKeys(publishing, orderingKeys, { signal })),
    publishBeforeMessages: (room) => beforeMessages.publish(room),
    publishEvents: (events, now, atMS) => run(publishEvents(events, now, atMS)),
    forget: (entry) => cleanup.forget(entry),
    publishEntry: (entry, now) => run(publishEntry(entry, now)),
    async storeAndPublish(event) {
      await run(publishEntry(await insertAlone(event), noDocs))
    },
    drained: () => inFlight.drained(),
  }
}

const isJoin = (event: OutboxEvent) =>
  event.kind === 'command' && (JSON.parse(event.json) as NodeCommand).do === 'joined'

async function insertChanges(
  db: Db,
  changes: Parameters<Outbox['add']>[0],
  session: Session,
  known?: readonly OutboxEntry[],
): Promise<ChangeEntries[]> {
  const withEvents = changes.filter(({ events }) => events.length > 0)
  if (withEvents.length === 0) return changes.map(() => noEntries)
  const orderingKeys = withEvents.map(({ orderingKey }) => orderingKey)
  const limit = maxPerOrderingKey * orderingKeys.length
  // Reads outside the transaction, in parallel: every conflicting change is already committed.
  const [inserted, found] = await Promise.all([
    insertEntries(db, withEvents, session),
    known ?? findByOrderingKey(db, orderingKeys),
  ])
  const waiting = Map.groupBy(found, ({ orderingKey }) => orderingKey)
  // If more are waiting than were read, leaves all of them to the relay.
  const beforeOf = (orderingKey: string) => (found.length >= limit ? found : (waiting.get(orderingKey) ?? []))
  const entries = new Map(
    orderingKeys.map((orderingKey, i) => [orderingKey, { own: inserted[i] ?? [], before: beforeOf(orderingKey) }]),
  )
  return changes.map(({ orderingKey }) => entries.get(orderingKey) ?? noEntries)
}

type PublishKeysParts = PublishParts & { db: Db; tracing: Tracing; cleanup: EntryCleanup }

/** Below the dedupe window of the stream and the nodes. After this, other processes may have published the entries. */
const staleAfterMS = 60_000

/** @param ifJoins publishes nothing once no join waits */
async function publishKeys(
  parts: PublishKeysParts,
  orderingKeys: readonly string[],
  { signal, ifJoins = false }: { signal?: AbortSignal | undefined; ifJoins?: boolean } = {},
): Promise<boolean> {
  // Otherwise the limit of 0 would count as reached.
  if (orderingKeys.length === 0) return true
  const max = maxPerOrderingKey * orderingKeys.length
  for (let first: string | undefined; ; ) {
    const untilMS = performance.now() + staleAfterMS
    const found = await findByOrderingKey(parts.db, orderingKeys)
    const isNeeded = !ifJoins || found.length >= max || found.some(({ events }) => events.some(isJoin))
    if (!isNeeded) return true
    // The entries of the previous round could not be deleted.
    if (found.length > 0 && found[0]?._id === first) return false
    first = found[0]?._id
    if (!(await publishFound({ ...parts, untilMS }, found))) return false
    if (found.length < max) return true
    if (signal?.aborted) return false
    await parts.cleanup.over()
  }
}

async function publishFound(
  parts: PublishKeysParts & { untilMS: number },
  found: readonly OutboxEntry[],
): Promise<boolean> {
  const entries = found.filter(({ _id }) => !parts.cleanup.has(_id))
  if (entries.length === 0) return true
  const now = await readCurrentDocs(parts.db, entries)
  const byKey = [...Map.groupBy(entries, ({ orderingKey }) => orderingKey).values()]
  const done = await Promise.all(byKey.map((own) => publishInOrder(parts, own, now)))
  return done.every(Boolean)
}

type Unpublished = Pick<OutboxEntry, 'orderingKey' | 'events'>

function commandsOf(entries: readonly Unpublished[]): NodeCommand[] {
  const events = entries.flatMap((entry) => entry.events)
  return events.flatMap((event) => (event.kind === 'command' ? [JSON.parse(event.json) as NodeCommand] : []))
}

/** By then the relay of another process has published an entry. */
export const relayedWithinMS = givenUpAfterMS + 2_000
const recheckMS = 250

/**
 * Publishes the entries of a change. If their commands are not confirmed, this process may be cut off from nodes and caches
 * that others still reach. So it waits until a removal is published, and until entries that a command makes stale have
 * expired.
 */
async function untilApplied<T>(
  parts: PublishKeysParts,
  entries: readonly Unpublished[],
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
    const expired = isConfirmed || commandsOf(entries).every(isMove) ? undefined : pause(cacheExpiredAfterMS)
    if (!isConfirmed) await untilRelayed(parts, entries)
    await expired
  }
}

/** Whether sockets lose something that they would still hear. */
function isRemoval({ do: what }: NodeCommand): boolean {
  return what === 'left' || what === 'revoked' || what === 'appDeleted'
}

async function untilRelayed(parts: PublishKeysParts, entries: readonly Unpublished[]): Promise<void> {
  const removing = entries.filter((entry) => commandsOf([entry]).some(isRemoval))
  const orderingKeys = removing.flatMap(({ orderingKey }) => orderingKey ?? [])
  const untilMS = performance.now() + relayedWithinMS
  const isPublished = async () =>
    parts.bus.connected
      ? publishKeys(parts, orderingKeys)
      : (await findByOrderingKey(parts.db, orderingKeys)).length === 0
  while (orderingKeys.length > 0 && performance.now() < untilMS && !(await isPublished())) await pause(recheckMS)
}
