import type { JsMsg } from '@nats-io/jetstream'
import type { MsgHdrs } from '@nats-io/nats-core'
import { busHeaders } from '@parley/contracts/bus/headers'
import { type Audience, audienceSubject, parseEventSubject } from '@parley/contracts/bus/subjects'
import { type ServerEvent, serverEvents } from '@parley/contracts/socket/server-events'
import type { Bus } from '../connect.ts'
import { listen, type Subscription } from '../listen.ts'
import { readPayload } from '../read-payload.ts'
import type { StreamMessage } from '../stream/consume.ts'
import { type EventAttributes, readPosition, readRepublished } from './publish.ts'

/** An event from the bus. The payload stays bytes: realtime nodes forward it without parsing it. */
export interface IncomingEvent extends EventAttributes {
  to: Audience
  event: ServerEvent
  /** ID of a captured event, the same if it is published twice. */
  id?: string
  data: Uint8Array
}

/**
 * @param message from a core subscription or the stream
 * @throws if the subject, a header or the payload cannot be read
 */
export function toIncomingEvent(message: {
  subject: string
  data: Uint8Array
  headers?: MsgHdrs | undefined
}): IncomingEvent {
  const incoming: IncomingEvent = { ...parseEventSubject(message.subject), data: message.data }
  const set = message.headers
  const id = set?.get('Nats-Msg-Id') ?? ''
  if (id !== '') incoming.id = id
  // Events with an ID come from publishEvent. Others are validated, since clients might not be able to read them.
  else if (Object.hasOwn(serverEvents, incoming.event))
    readPayload<unknown>(message, serverEvents[incoming.event].payload)
  if (!set) return incoming
  const request = set.get(busHeaders.request)
  if (request !== '') incoming.request = request
  if (set.get(busHeaders.push) === 'false') incoming.push = false
  if (set.get(busHeaders.webhook) === 'false') incoming.webhook = false
  const by = set.get(busHeaders.by)
  if (by !== '') incoming.by = decodeURIComponent(by)
  const exceptDevice = set.get(busHeaders.exceptDevice)
  if (exceptDevice !== '') incoming.exceptDevice = decodeURIComponent(exceptDevice)
  const exceptUser = set.get(busHeaders.exceptUser)
  if (exceptUser !== '') incoming.exceptUser = decodeURIComponent(exceptUser)
  const republished = readRepublished(set)
  if (republished) incoming.republished = republished
  const position = readPosition(set)
  if (position) incoming.message = position
  const accepted = set.get(busHeaders.accepted)
  if (accepted !== '') incoming.acceptedAtMS = Number(accepted)
  return incoming
}

/** Reads a message as an event; undefined if it is unreadable, which is reported to `bus.malformed`. */
export function eventOrMalformed(
  bus: Pick<Bus, 'malformed'>,
  message: Parameters<typeof toIncomingEvent>[0],
): IncomingEvent | undefined {
  try {
    return toIncomingEvent(message)
  } catch (error) {
    bus.malformed(error as Error, message.subject)
    return undefined
  }
}

export type Delivery = IncomingEvent & StreamMessage

/** Reads a message of the stream as an event. @throws when it is not an event */
export function readEvent(message: StreamMessage, raw: JsMsg): Delivery {
  return { ...message, ...toIncomingEvent(raw) }
}

/**
 * Subscribes to the live events of a room or user, in order of arrival. The handler runs in the turn in which the
 * message was read, so that a burst is handled together.
 */
export function subscribeToEvents(bus: Bus, to: Audience, handle: (event: IncomingEvent) => void): Subscription {
  return listen(bus, audienceSubject(to), (message) => handle(toIncomingEvent(message)))
}
