import { headers, type MsgHdrs } from '@nats-io/nats-core'
import { busHeaders } from '@parley/contracts/bus/headers'
import { type Audience, eventSubject } from '@parley/contracts/bus/subjects'
import { type ServerEvent, serverEvents } from '@parley/contracts/socket/server-events'
import type { Bus } from './connect.ts'

/** What travels beside an event's payload. */
export interface EventAttributes {
  /** ID of the request that caused it. */
  request?: string
  /** false: no mobile push for this message. */
  push?: boolean
  /** false: the room's webhook is not told. */
  webhook?: boolean
  /** The device of the acting user that does not get it. */
  exceptDevice?: string
  /** The user who does not get it on any device. */
  exceptUser?: string
}

export interface OutgoingEvent extends EventAttributes {
  to: Audience
  event: ServerEvent
  /** The payload as JSON text: sockets get exactly this. */
  json: string
  /** Names the event for the stream: published again with the same ID within two minutes, it is kept once. */
  id: string
}

/** The bus did not take an event: it is away, or did not acknowledge in time. What is durable stays to be published. */
export class BusAway extends Error {
  override name = 'BusAway'
}

/**
 * Publishes an event once: realtime nodes hear it live, and the stream keeps it if it is a captured one.
 * Settles when the stream has acknowledged it (for a live event: when it was handed to the connection).
 * @throws BusAway
 */
export async function publishEvent(bus: Bus, event: OutgoingEvent): Promise<void> {
  const subject = eventSubject(event.to, event.event)
  // Without this, events would pile up in the client's buffer for as long as the bus is away.
  if (!bus.connected) throw new BusAway(`NATS is away: ${subject}`)
  const set = toHeaders(event)
  if (!serverEvents[event.event].captured) {
    bus.nats.publish(subject, event.json, { headers: set })
    return
  }
  try {
    await bus.publishToStream(subject, event.json, set)
  } catch (error) {
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
  if (attributes.exceptDevice !== undefined) {
    set.set(busHeaders.exceptDevice, encodeURIComponent(attributes.exceptDevice))
  }
  if (attributes.exceptUser !== undefined) set.set(busHeaders.exceptUser, encodeURIComponent(attributes.exceptUser))
  return set
}
