import type { Bus } from '@parley/bus/connect'
import type { Control } from '@parley/bus/control/control'
import {
  type Again,
  BusAway,
  BusRefuses,
  type EventPlace,
  type OutgoingEvent,
  publishEvent,
  soonMS,
} from '@parley/bus/events/publish'
import { publishFeedEvent, publishMembersChange, publishPushToClients } from '@parley/bus/events/publish-captured'
import type { NodeCommand } from '@parley/contracts/bus/control'
import { clientsPush, membersChange } from '@parley/contracts/bus/push-work'
import { readJson } from '@parley/contracts/free-json'
import { isNewMessage } from '@parley/contracts/socket/server-events'
import type { NotedEvent, PendingEventsDoc } from '@parley/db/events/documents'
import type { MessageDoc } from '@parley/db/messages/documents'
import type { Log, Steps } from '../ports.ts'
import { messageJson } from '../views/message.ts'
import { type AsOfNow, commandAsOfNow, type SentMessageDoc } from './as-of-now.ts'
import type { NoteClearing } from './clear-notes.ts'

export interface PublishParts {
  bus: Bus
  control: Control
  log: Log
}

/**
 * Publishes a noted event, for the first time or again. Settles when the stream has it, or for a node command, when
 * every living node has confirmed it.
 * @throws BusAway, BusRefuses
 */
export async function publishNoted(parts: PublishParts, event: NotedEvent, now: AsOfNow, again?: Again): Promise<void> {
  const { bus } = parts
  const isAgain = again && { again }
  switch (event.kind) {
    case 'message': {
      const sent = now.message(event.message)
      const by = event.by !== undefined && { by: event.by }
      if (sent) await publishEvent(bus, { ...messageEvent(sent, event), ...by, ...isAgain })
      break
    }
    case 'room': {
      const room = now.room(event.app, event.room)
      const { kind: _kind, app, room: of, ...rest } = event
      const to = { app, room: of }
      if (room) await publishEvent(bus, { ...rest, to, event: 'room', json: JSON.stringify(room), ...isAgain })
      break
    }
    case 'event': {
      const { kind: _kind, upToSeq, ...whole } = event
      const last = upToSeq !== undefined && { message: { seq: upToSeq, isSoonAfter: true as const } }
      await publishEvent(bus, { ...whole, ...last, ...isAgain })
      break
    }
    case 'feed':
      await publishFeedEvent(bus, { ...event, ...isAgain })
      break
    case 'command':
      await sendCommand(parts, event.app, await commandAsOfNow(event.app, event.json, now))
      break
    case 'membersChange':
      await publishMembersChange(bus, event.app, membersChange.parse(JSON.parse(event.json)), again)
      break
    case 'push':
      await publishPushToClients(bus, event.app, clientsPush.parse(readJson(event.json)), again)
      break
    default:
      throw new Error('unknown event kind: the note is left to a newer release')
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
  noted: NotedEvent & { kind: 'message' },
): OutgoingEvent {
  const { event, changedAtMS = message.updatedAtMS, isSoonAfter } = noted
  const { app, room } = message
  const deleted = { room, messageID: message._id }
  const isNew = isNewMessage(event)
  return {
    to: { app, room },
    event,
    json: event === 'messageDeleted' ? JSON.stringify(deleted) : messageJson(message, sender, quoted),
    id: isNew ? message._id : `${message._id}:${event}:${changedAtMS}`,
    message: placeOf(message, isNew ? isSoonAfter : changedAtMS < message.createdAtMS + soonMS),
    ...(isNew && { acceptedAtMS: message.createdAtMS }),
    ...(message.push === false && { push: false }),
    ...(message.webhook === false && isNew && { webhook: false }),
    ...(message.request !== undefined && { request: message.request }),
  }
}

function placeOf({ seq, threadOf }: MessageDoc, isSoonAfter = false): EventPlace {
  return { seq, ...(threadOf !== undefined && { thread: threadOf }), ...(isSoonAfter && { isSoonAfter: true }) }
}

/**
 * Publishes a noted event and handles failures. While the bus is away, the event stays noted for a retry. An event that
 * the bus refuses for good is dropped. After any other error (a bug, or a note that only a newer release can read) it
 * stays noted.
 * @returns whether the note is no longer needed. Never fails
 */
export async function publishOne(
  parts: PublishParts & { steps: Steps },
  event: NotedEvent,
  now: AsOfNow,
): Promise<boolean> {
  const { log, steps } = parts
  const about = describe(event, now)
  const step = steps.step(`publish ${about.event}`, 'producer', about.request)
  try {
    await publishNoted(parts, event, now)
    step.end()
    return true
  } catch (error) {
    step.end({}, error as Error)
    const fields = { err: error, ...about }
    if (error instanceof BusRefuses) log.error(fields, 'event dropped: too large for the bus')
    else if (error instanceof BusAway) log.warn(fields, 'event not published yet')
    else log.error(fields, 'event not published: it stays noted')
    return error instanceof BusRefuses
  }
}

/** Log fields of an event. */
function describe(
  event: NotedEvent,
  now: AsOfNow,
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

/**
 * Publishes notes in order, up to the first event that the bus does not accept, and none after `untilMS`
 * (`performance.now()`).
 * @param onConfirmed called once every node command among them is confirmed
 * @returns whether the bus has all
 */
export async function publishInOrder(
  parts: PublishParts & { steps: Steps; cleared: Pick<NoteClearing, 'ordered'>; untilMS: number },
  notes: readonly PendingEventsDoc[],
  now: AsOfNow,
  onConfirmed: () => void = () => undefined,
): Promise<boolean> {
  let unconfirmed = notes.flatMap(({ events }) => events).filter(isCommand).length
  if (unconfirmed === 0) onConfirmed()
  for (const note of notes) {
    for (const event of note.events) {
      if (performance.now() > parts.untilMS || !(await publishOne(parts, event, now))) return false
      if (isCommand(event) && --unconfirmed === 0) onConfirmed()
    }
    parts.cleared.ordered(note)
  }
  return true
}

function isCommand({ kind }: NotedEvent): boolean {
  return kind === 'command'
}
