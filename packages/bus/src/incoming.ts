import type { MsgHdrs } from '@nats-io/nats-core'
import { busHeaders } from '@parley/contracts/bus/headers'
import { type Audience, parseEventSubject } from '@parley/contracts/bus/subjects'
import type { ServerEvent } from '@parley/contracts/socket/server-events'
import type { EventAttributes } from './publish.ts'

/** An event as it came from the bus. The payload stays bytes: realtime nodes pass it on without parsing it. */
export interface IncomingEvent extends EventAttributes {
  to: Audience
  event: ServerEvent
  data: Uint8Array
}

/** @param message of a core subscription or of the stream: both have these. */
export function toIncomingEvent(message: {
  subject: string
  data: Uint8Array
  headers?: MsgHdrs | undefined
}): IncomingEvent {
  const incoming: IncomingEvent = { ...parseEventSubject(message.subject), data: message.data }
  const set = message.headers
  if (!set) return incoming
  const request = set.get(busHeaders.request)
  if (request !== '') incoming.request = request
  if (set.get(busHeaders.push) === 'false') incoming.push = false
  if (set.get(busHeaders.webhook) === 'false') incoming.webhook = false
  const exceptDevice = set.get(busHeaders.exceptDevice)
  if (exceptDevice !== '') incoming.exceptDevice = decodeURIComponent(exceptDevice)
  const exceptUser = set.get(busHeaders.exceptUser)
  if (exceptUser !== '') incoming.exceptUser = decodeURIComponent(exceptUser)
  return incoming
}
