import { headers, InvalidArgumentError, type MsgHdrs } from '@nats-io/nats-core'
import { busHeaders } from '@parley/contracts/bus/headers'
import type { ClientsPush, MembersChange } from '@parley/contracts/bus/push-work'
import {
  type Audience,
  eventSubject,
  feedSubject,
  membersChangeSubject,
  pushToClientsSubject,
} from '@parley/contracts/bus/subjects'
import type { FeedOnlyEvent } from '@parley/contracts/resources/feed-event'
import { type ServerEvent, serverEvents } from '@parley/contracts/socket/server-events'
import type { Bus } from '../connect.ts'

export interface Republished {
  /** When the event was first recorded, in Unix milliseconds. */
  atMS: number
  /** After the loss of a stream: its position between those of the lost stream and those of the new one. */
  position?: number | undefined
}

export interface EventPosition {
  seq: number
  /** Root of the thread that `seq` counts in; absent for the room. */
  thread?: string
  /**
   * An event of an earlier message may not be published yet. Of an edit or deletion: the event of its own message.
   */
  mayOvertake?: true
}

/** An event is published within this time, unless its publisher has failed. */
export const publishedWithinMS = 2_000

/** Event attributes that travel as headers. */
export interface EventAttributes {
  /** Position of the message that the event brings or concerns. Sockets get a room's events in this order. */
  message?: EventPosition
  /** When the event's message was accepted, in Unix milliseconds by MongoDB's clock. */
  acceptedAtMS?: number
  /** ID of the request that caused it. */
  request?: string
  /** false: no mobile push for this message. */
  push?: boolean
  /** false: the room's webhook does not receive it. */
  webhook?: boolean
  /** The acting user, if a token was used; absent for a new message, which names its sender. */
  by?: string
  /** Device of the acting user that does not get the event. */
  exceptDevice?: string
  /** User who does not get the event, on any device. */
  exceptUser?: string
  /** Set if the event is published again. */
  republished?: Republished
}

export interface OutgoingEvent extends EventAttributes {
  to: Audience
  event: ServerEvent
  /** The payload as JSON text: sockets get exactly this. */
  json: string
  /** Event ID. The stream stores one event per ID within two minutes. */
  id: string
}

/**
 * The bus did not accept an event: it is away, or did not acknowledge in time. Events in the outbox are published
 * later.
 */
export class BusAway extends Error {
  override name = 'BusAway'
}

/** The bus will never accept an event, because it exceeds the size limit of NATS. */
export class BusRefuses extends Error {
  override name = 'BusRefuses'
}

/**
 * Publishes an event. Realtime nodes get it live, and the stream stores it if it is captured. Settles when the stream
 * has acknowledged it; a live event, when it is handed to the connection.
 * @throws BusAway, BusRefuses
 */
export async function publishEvent(bus: Bus, event: OutgoingEvent): Promise<void> {
  const subject = eventSubject(event.to, event.event)
  const set = toHeaders(event)
  if (!serverEvents[event.event].captured) {
    // Otherwise events pile up in the client's buffer while the bus is away.
    if (!bus.connected) throw new BusAway(`NATS is away: ${subject}`)
    bus.nats.publish(subject, event.json, { headers: set })
    return
  }
  await publishCaptured(bus, subject, event.json, set)
}

/** Publishes to the stream and settles when it has acknowledged. @throws BusAway, BusRefuses */
async function publishCaptured(bus: Bus, subject: string, json: string, set: MsgHdrs): Promise<void> {
  if (!bus.connected) throw new BusAway(`NATS is away: ${subject}`)
  try {
    await bus.publishToStream(subject, json, set)
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw new BusRefuses(`too large: ${subject}`, { cause: error })
    throw new BusAway(`the stream did not acknowledge ${subject}`, { cause: error })
  }
}

function toHeaders(attributes: OutgoingEvent): MsgHdrs {
  const set = headers()
  // The stream keeps one event per ID within its duplicate window (JetStream, message deduplication).
  if (serverEvents[attributes.event].captured) set.set('Nats-Msg-Id', attributes.id)
  if (attributes.request !== undefined) set.set(busHeaders.request, attributes.request)
  if (attributes.push === false) set.set(busHeaders.push, 'false')
  if (attributes.webhook === false) set.set(busHeaders.webhook, 'false')
  if (attributes.by !== undefined) set.set(busHeaders.by, encodeURIComponent(attributes.by))
  if (attributes.exceptDevice !== undefined) {
    set.set(busHeaders.exceptDevice, encodeURIComponent(attributes.exceptDevice))
  }
  if (attributes.exceptUser !== undefined) set.set(busHeaders.exceptUser, encodeURIComponent(attributes.exceptUser))
  if (attributes.republished) setRepublished(set, attributes.republished)
  if (attributes.message) setPosition(set, attributes.message)
  if (attributes.acceptedAtMS !== undefined) set.set(busHeaders.accepted, String(attributes.acceptedAtMS))
  return set
}

function setPosition(set: MsgHdrs, { seq, thread, mayOvertake }: EventPosition): void {
  set.set(busHeaders.seq, mayOvertake ? `${seq}+` : String(seq))
  if (thread !== undefined) set.set(busHeaders.thread, encodeURIComponent(thread))
}

export function readPosition(set: MsgHdrs): EventPosition | undefined {
  const text = set.get(busHeaders.seq)
  if (text === '') return undefined
  const thread = set.get(busHeaders.thread)
  return {
    seq: Number.parseInt(text, 10),
    ...(thread !== '' && { thread: decodeURIComponent(thread) }),
    ...(text.endsWith('+') && { mayOvertake: true }),
  }
}

function setRepublished(set: MsgHdrs, { atMS, position }: Republished): void {
  set.set(busHeaders.republished, String(atMS))
  if (position !== undefined) set.set(busHeaders.position, String(position))
}

export function readRepublished(set: MsgHdrs | undefined): Republished | undefined {
  const at = set?.get(busHeaders.republished) ?? ''
  if (at === '') return undefined
  const position = set?.get(busHeaders.position) ?? ''
  return { atMS: Number(at), ...(position !== '' && { position: Number(position) }) }
}

/** An event for the integrator's feed only, with its payload as JSON text. */
interface OutgoingFeedEvent {
  id: string
  to: Audience
  event: FeedOnlyEvent
  json: string
  /** Set if the event is published again. */
  republished?: Republished
}

/** Publishes an event to the integrator's feed. Settles when the stream has it. @throws BusAway, BusRefuses */
export async function publishFeedEvent(
  bus: Bus,
  { id, to, event, json, republished }: OutgoingFeedEvent,
): Promise<void> {
  await publishCaptured(bus, feedSubject(to, event), json, headersOf(id, republished))
}

/** Publishes a push to clients for the push service. Settles when the stream has it. @throws BusAway, BusRefuses */
export async function publishPushToClients(
  bus: Bus,
  app: string,
  push: ClientsPush,
  republished?: Republished,
): Promise<void> {
  await publishCaptured(bus, pushToClientsSubject(app), JSON.stringify(push), headersOf(push.id, republished))
}

/**
 * Publishes joins and leaves of a room for its webhook. Settles when the stream has them.
 * @throws BusAway, BusRefuses
 */
export async function publishMembersChange(
  bus: Bus,
  app: string,
  change: MembersChange,
  republished?: Republished,
): Promise<void> {
  const subject = membersChangeSubject(app, change.room)
  await publishCaptured(bus, subject, JSON.stringify(change), headersOf(change.id, republished))
}

function headersOf(id: string, republished: Republished | undefined): MsgHdrs {
  const set = headers()
  set.set('Nats-Msg-Id', id)
  if (republished) setRepublished(set, republished)
  return set
}
