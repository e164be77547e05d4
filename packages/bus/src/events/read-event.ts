import type { JsMsg } from '@nats-io/jetstream'
import type { StreamMessage } from '../stream/consume.ts'
import { type IncomingEvent, toIncomingEvent } from './incoming.ts'

/** An event with the stream's data about it. */
export type Delivery = IncomingEvent & StreamMessage

/** Reads a message of the stream as an event. @throws when it is not an event */
export function readEvent(message: StreamMessage, raw: JsMsg): Delivery {
  return { ...message, ...toIncomingEvent(raw) }
}
