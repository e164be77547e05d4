import { askNodes } from '@parley/bus/control/ask-nodes'
import { findPublished } from '@parley/bus/stream/find-published'
import { deliveriesAnswer } from '@parley/contracts/bus/node-requests'
import type { Result } from '@parley/contracts/operation'
import type { traceMessage as operation } from '@parley/contracts/operations/messages/trace'
import { key } from '@parley/db/keys'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import { isDeletedIn } from '@parley/db/messages/deleted-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { findRoomOfMessage, findSentMessage } from '@parley/db/messages/messages'
import { countReaders, findReaders } from '@parley/db/messages/readers'
import { findCallsOfMessage } from '@parley/db/push/call-history'
import { countDecisions } from '@parley/db/push/push-decisions'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { findRoom } from '@parley/db/rooms/rooms'
import type { AuthenticatedIntegrator } from '../../access/caller.ts'
import type { Chat } from '../../chat.ts'
import { toListedDelivery } from '../../views/webhook-delivery.ts'
import { unknownMessage } from '../require-message.ts'

const maxReaders = 1_000
/** Maximum number of the room's events to read from the stream. */
const maxInStream = 1_000

/** The trace of a message (docs/reference/messages.md#trace-a-message). @throws ApiError MESSAGE_NOT_FOUND */
export async function traceMessage(
  chat: Chat,
  caller: AuthenticatedIntegrator,
  id: string,
): Promise<Result<typeof operation>> {
  const { app } = caller
  const { db, bus, control, log } = chat
  const roomId = await findRoomOfMessage(db, app, id)
  const room = roomId === undefined ? null : await findRoom(db, app, roomId)
  const message = room ? await findSentMessage(db, room._id, id) : undefined
  if (!room || !message) throw unknownMessage(id)
  const to = { app, room: room.id }
  const [stored, published, nodes, push, calls, readBy] = await Promise.all([
    findMessages(db, [id]),
    findPublished(
      bus,
      {
        to,
        event: message.threadOf === undefined ? 'chat message' : 'thread message',
        id,
        sinceMS: message.createdAtMS,
      },
      maxInStream,
    ).catch((error: unknown) => log.warn({ err: error, app, message: id }, 'stream not read for a message trace')),
    askNodes(bus, control.nodes(), {
      request: 'deliveries',
      body: { app, messages: [{ room: room.id, message: id }] },
      schema: deliveriesAnswer,
    }),
    countDecisions(db, key(app, id)),
    findCallsOfMessage(db, app, id),
    readersOf(chat, room, message),
  ])
  const { request, createdAtMS, sender, seq } = message
  const deliveries = nodes.answers.flatMap(({ node, answer }) =>
    answer.map(({ sockets, atMS, caughtUp }) => ({ node, sockets, atMS, ...(caughtUp && { caughtUp }) })),
  )
  return {
    ...{ message: id, room: room.id, sender, seq },
    isDeleted: isDeletedIn(message, room),
    accepted: { atMS: createdAtMS, ...(request !== undefined && { request }) },
    ...(published && { published }),
    flushed: stored.length > 0,
    deliveries: deliveries.sort((a, b) => a.atMS - b.atMS),
    silentNodes: nodes.silent,
    push,
    calls: calls.map(toListedDelivery(caller)),
    readBy,
  }
}

/**
 * Uses raw markers, so that a reader before the deletion counts. Deleting a whole room moves markers without a read
 * report; then only members with a report after the message count.
 */
async function readersOf(
  { db }: Chat,
  room: RoomDoc,
  message: MessageDoc,
): Promise<Result<typeof operation>['readBy']> {
  const { isDeleted: _alone, ...sent } = message
  const reported = isDeletedIn(sent, room) ? { reportedFromMS: message.createdAtMS } : {}
  const [readers, reached] = await Promise.all([
    findReaders(db, message, { limit: maxReaders, ...reported }),
    countReaders(db, message, reported),
  ])
  return {
    totalCount: reached > maxReaders ? reached : readers.length,
    data: readers.map(({ user }) => user),
  }
}
