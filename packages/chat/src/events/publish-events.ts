import type { Bus } from '@parley/bus/connect'
import type { Control } from '@parley/bus/control/control'
import {
  BusAway,
  BusRefuses,
  type EventPosition,
  type OutgoingEvent,
  publishEvent,
  publishedWithinMS,
  publishFeedEvent,
  publishMembersChange,
  publishPushToClients,
  type Republished,
} from '@parley/bus/events/publish'
import type { NodeCommand } from '@parley/contracts/bus/control'
import { clientsPush, membersChange } from '@parley/contracts/bus/push-work'
import { readJson } from '@parley/contracts/free-json'
import { isNewMessage } from '@parley/contracts/socket/server-events'
import type { OutboxEntry, OutboxEvent } from '@parley/db/events/documents'
import type { MessageDoc } from '@parley/db/messages/documents'
import type { Log, Tracing } from '../ports.ts'
import { messageJson } from '../views/message.ts'
import { type CurrentDocs, currentCommand, type SentMessageDoc } from './current-docs.ts'
import type { EntryCleanup } from './entry-cleanup.ts'

export interface PublishParts {
  bus: Bus
  control: Control
  log: Log
}

/**
 * Publishes an event of the outbox, for the first time or again. Settles when the stream has it, or for a node command, when
 * every live node has confirmed it.
 * @throws BusAway, BusRefuses
 */
export async function publishOutboxEvent(
  parts: PublishParts,
  event: OutboxEvent,
  now: CurrentDocs,
  republished?: Republished,
): Promise<void> {
  const { bus } = parts
  const asRepublished = republished && { republished }
  switch (event.kind) {
    case 'message': {
      const sent = now.message(event.message)
      const by = event.by !== undefined && { by: event.by }
      if (sent) await publishEvent(bus, { ...messageEvent(sent, event), ...by, ...asRepublished })
      break
    }
    case 'room': {
      const room = now.room(event.app, event.room)
      const { kind: _kind, app, room: of, ...rest } = event
      const to = { app, room: of }
      if (room) await publishEvent(bus, { ...rest, to, event: 'room', json: JSON.stringify(room), ...asRepublished })
      break
    }
    case 'event': {
      const { kind: _kind, upToSeq, ...whole } = event
      const last = upToSeq !== undefined && { message: { seq: upToSeq, mayOvertake: true as const } }
      await publishEvent(bus, { ...whole, ...last, ...asRepublished })
      break
    }
    case 'feed':
      await publishFeedEvent(bus, { ...event, ...asRepublished })
      break
    case 'command':
      await sendCommand(parts, event.app, await currentCommand(event.app, event.json, now))
      break
    case 'membersChange':
      await publishMembersChange(bus, event.app, membersChange.parse(JSON.parse(event.json)), republished)
      break
    case 'push':
      await publishPushToClients(bus, event.app, clientsPush.parse(readJson(event.json)), republished)
      break
    default:
      throw new Error('unknown event kind: left to a newer release')
  }
}

/**
 * A node that does not confirm is dying with its sockets, or cut off and will resync. A cut-off gateway does not trust
 * its cache.
 */
async function sendCommand({ control, log }: PublishParts, app: string, command: NodeCommand): Promise<void> {
  const { silent } = await control.send(app, command)
  if (silent.length > 0) log.warn({ app, command: command.do, silent }, 'node command not confirmed')
}

/**
 * The event of a message. Its ID is that of the change, so the stream dedupes it even if another process publishes a
 * newer state.
 */
function messageEvent(
  { message, sender, quoted }: SentMessageDoc,
  change: OutboxEvent & { kind: 'message' },
): OutgoingEvent {
  const { event, changedAtMS = message.updatedAtMS, mayOvertake } = change
  const { app, room } = message
  const deleted = { room, messageID: message._id }
  const isNew = isNewMessage(event)
  return {
    to: { app, room },
    event,
    json: event === 'messageDeleted' ? JSON.stringify(deleted) : messageJson(message, sender, quoted),
    id: isNew ? message._id : `${message._id}:${event}:${changedAtMS}`,
    message: positionOf(message, isNew ? mayOvertake : changedAtMS < message.createdAtMS + publishedWithinMS),
    ...(isNew && { acceptedAtMS: message.createdAtMS }),
    ...(message.push === false && { push: false }),
    ...(message.webhook === false && isNew && { webhook: false }),
    ...(message.request !== undefined && { request: message.request }),
  }
}

function positionOf({ seq, threadOf }: MessageDoc, mayOvertake = false): EventPosition {
  return { seq, ...(threadOf !== undefined && { thread: threadOf }), ...(mayOvertake && { mayOvertake: true }) }
}

/**
 * Publishes an event of the outbox and handles failures. While the bus is away, the event stays for a retry. An event that
 * the bus refuses for good is dropped. After any other error (a bug, or an entry that only a newer release can read) it
 * stays.
 * @returns whether the entry is no longer needed. Never fails
 */
export async function publishOne(
  parts: PublishParts & { tracing: Tracing },
  event: OutboxEvent,
  now: CurrentDocs,
): Promise<boolean> {
  const { log, tracing } = parts
  const about = logFieldsOf(event, now)
  const span = tracing.startSpan(`publish ${about.event}`, 'producer', about.request)
  try {
    await publishOutboxEvent(parts, event, now)
    span.end()
    return true
  } catch (error) {
    span.end({}, error as Error)
    const fields = { err: error, ...about }
    if (error instanceof BusRefuses) log.error(fields, 'event dropped: too large for the bus')
    else if (error instanceof BusAway) log.warn(fields, 'event not published yet')
    else log.error(fields, 'event not published: it stays in the outbox')
    return error instanceof BusRefuses
  }
}

function logFieldsOf(
  event: OutboxEvent,
  now: CurrentDocs,
): { event: string; request?: string | undefined; [id: string]: unknown } {
  switch (event.kind) {
    case 'message': {
      const message = now.message(event.message)?.message
      return { event: event.event, message: event.message, room: message?.room, request: message?.request }
    }
    case 'room':
      return { event: 'room', app: event.app, room: event.room, request: event.request }
    case 'event':
    case 'feed':
      return { event: event.event, ...event.to }
    default:
      return { event: event.kind, app: event.app }
  }
}

/** Events in flight to different users. */
const maxTogether = 200

/**
 * Publishes entries in order, up to the first event that the bus does not accept, and none after `untilMS`
 * (`performance.now()`). Successive events to different users are published together: a change can have one for each of
 * thousands.
 * @param onConfirmed called once every node command among them is confirmed
 * @returns whether the bus has all
 */
export async function publishInOrder(
  parts: PublishParts & { tracing: Tracing; cleanup: Pick<EntryCleanup, 'ordered'>; untilMS: number },
  entries: readonly OutboxEntry[],
  now: CurrentDocs,
  onConfirmed: () => void = () => undefined,
): Promise<boolean> {
  let unconfirmed = entries.flatMap(({ events }) => events).filter(isCommand).length
  if (unconfirmed === 0) onConfirmed()
  for (const entry of entries) {
    for (const some of inSteps(entry.events)) {
      if (performance.now() > parts.untilMS) return false
      const published = await Promise.all(some.map((event) => publishOne(parts, event, now)))
      if (!published.every(Boolean)) return false
      if (some.some(isCommand) && --unconfirmed === 0) onConfirmed()
    }
    parts.cleanup.ordered(entry)
  }
  return true
}

/** Splits events into those that can be published at once, in order. */
function inSteps(events: readonly OutboxEvent[]): OutboxEvent[][] {
  const steps: OutboxEvent[][] = []
  let users = new Set<string>()
  for (const event of events) {
    const user = event.kind === 'event' && 'user' in event.to ? event.to.user : undefined
    const isNext = user === undefined || users.size === 0 || users.size === maxTogether || users.has(user)
    if (isNext) users = new Set()
    if (isNext) steps.push([event])
    else steps.at(-1)?.push(event)
    if (user !== undefined) users.add(user)
  }
  return steps
}

function isCommand({ kind }: OutboxEvent): boolean {
  return kind === 'command'
}
