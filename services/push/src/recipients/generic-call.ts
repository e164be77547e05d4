import type { Message } from '@parley/contracts/resources/message'
import type { PushCall } from '@parley/contracts/resources/webhook'
import { type CallToQueue, targetOf } from '@parley/db/push/outgoing-calls'
import type { RoomDoc } from '@parley/db/rooms/documents'

/** A call to PUSH_GENERIC about a message. @param id the webhook-id: with another of this name, the first one counts */
export function genericCall(
  { url, id, ...rest }: Pick<CallToQueue, 'order' | 'request' | 'dueAtMS' | 'revive'> & { url: string; id: string },
  message: Message,
  room: RoomDoc,
  to: Pick<PushCall, 'pushToClients' | 'keptBack' | 'because'>,
): CallToQueue {
  const body: PushCall = { ...message, roomName: room.name, ...to }
  return {
    _id: id,
    app: room.app,
    kind: 'push',
    queue: id,
    target: targetOf('push', new URL(url).origin),
    room: room.id,
    event: 'PUSH',
    client: message.sender._id,
    data: JSON.stringify(body),
    ...rest,
  }
}
