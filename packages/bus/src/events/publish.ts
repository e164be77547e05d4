import { headers, InvalidArgumentError, type MsgHdrs } from '@nats-io/nats-core'
import { busHeaders } from '@parley/contracts/bus/headers'
import { type Audience, eventSubject } from '@parley/contracts/bus/subjects'
import { type ServerEvent, serverEvents } from '@parley/contracts/socket/server-events'
import type { Bus } from '../connect.ts'

/** Of an event that is published again because the stream was lost. */
export interface Again {
  /** When it was noted, in Unix milliseconds. */
  atMS: number
  /** Its place among the events of before; absent where the stream was not lost. */
  place?: number | undefined
}

/** The place of a message among those of its room or thread. */
export interface EventPlace {
  seq: number
  /** The root of the thread that numbers the message; absent where the room does. */
  thread?: string
  /** The message before it was sent so shortly before that its event may not be published yet; of an edit or a deletion, its message. */
  isSoonAfter?: true
}

/** A message's event this much later than an earlier one finds that published, unless its publisher has failed. */
export const soonMS = 2_000

/** Headers beside an event's payload. */
export interface EventAttributes {
  /** Of an event that brings a message, or is about one: sockets get those of a room in this order. */
  message?: EventPlace
  /** When the message that the event brings was accepted, in Unix milliseconds by MongoDB's clock. */
  acceptedAtMS?: number
  /** ID of the request that caused it. */
  request?: string
  /** false: no mobile push for this message. */
  push?: boolean
  /** false: the room's webhook does not receive it. */
  webhook?: boolean
  /** The user behind it, if a token was used; absent for a new message, which names its sender. */
  by?: string
  /** The device of the acting user that does not get it. */
  exceptDevice?: string
  /** The user left out, on all devices. */
  exceptUser?: string
  /** The bus has had it before. */
  again?: Again
}

export interface OutgoingEvent extends EventAttributes {
  to: Audience
  event: ServerEvent
  /** The payload as JSON text: sockets get exactly this. */
  json: string
  /** ID for the stream: an event published again with it within two minutes is kept once. */
  id: string
}

/** The bus did not accept an event: it is away, or did not acknowledge in time. A noted event is published later. */
export class BusAway extends Error {
  override name = 'BusAway'
}

/** The bus will never accept an event: it is larger than a NATS message may be. */
export class BusRefuses extends Error {
  override name = 'BusRefuses'
}

/**
 * Publishes an event once: realtime nodes get it live, and the stream keeps it if it is a captured one.
 * Settles when the stream has acknowledged it (for a live event: when it was handed to the connection).
 * @throws BusAway, BusRefuses
 */
export async function publishEvent(bus: Bus, event: OutgoingEvent): Promise<void> {
  const subject = eventSubject(event.to, event.event)
  const set = toHeaders(event)
  if (!serverEvents[event.event].captured) {
    // Without this, events would pile up in the client's buffer for as long as the bus is away.
    if (!bus.connected) throw new BusAway(`NATS is away: ${subject}`)
    bus.nats.publish(subject, event.json, { headers: set })
    return
  }
  await publishCaptured(bus, subject, event.json, set)
}

/**
 * Publishes to the stream and settles when it has acknowledged.
 * @throws BusAway, BusRefuses
 */
export async function publishCaptured(bus: Bus, subject: string, json: string, set: MsgHdrs): Promise<void> {
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
  if (attributes.again) setAgain(set, attributes.again)
  if (attributes.message) setPlace(set, attributes.message)
  if (attributes.acceptedAtMS !== undefined) set.set(busHeaders.accepted, String(attributes.acceptedAtMS))
  return set
}

function setPlace(set: MsgHdrs, { seq, thread, isSoonAfter }: EventPlace): void {
  set.set(busHeaders.seq, isSoonAfter ? `${seq}+` : String(seq))
  if (thread !== undefined) set.set(busHeaders.thread, encodeURIComponent(thread))
}

export function readPlace(set: MsgHdrs): EventPlace | undefined {
  const text = set.get(busHeaders.seq)
  if (text === '') return undefined
  const thread = set.get(busHeaders.thread)
  return {
    seq: Number.parseInt(text, 10),
    ...(thread !== '' && { thread: decodeURIComponent(thread) }),
    ...(text.endsWith('+') && { isSoonAfter: true }),
  }
}

export function setAgain(set: MsgHdrs, { atMS, place }: Again): void {
  set.set(busHeaders.again, String(atMS))
  if (place !== undefined) set.set(busHeaders.place, String(place))
}

export function readAgain(set: MsgHdrs | undefined): Again | undefined {
  const at = set?.get(busHeaders.again) ?? ''
  if (at === '') return undefined
  const place = set?.get(busHeaders.place) ?? ''
  return { atMS: Number(at), ...(place !== '' && { place: Number(place) }) }
}
