import { z } from 'zod'
import { messageId, roomId, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'

/** The configuration key that says in how large rooms delivery is marked: `{maxMembers}`. */
export const deliveryConfigKey = 'deliveryMarkers'
/** Without that key, in rooms of at most this many members. */
export const maxDeliveryMembers = 200

/** Where a member's marker is. */
export const deliveredMarker = z.object({
  roomID: roomId,
  memberID: userId,
  messageID: messageId.describe('The message that was reported'),
  isMarked: z.boolean().describe('False in a room with too many members: the marker is neither stored nor announced'),
})
export const exampleDelivered = {
  roomID: 'demo-room',
  memberID: 'bob',
  messageID: '66f0c1a2b3c4d5e6f7a8b9c0',
  isMarked: true,
}

export const markDelivered = operation({
  id: 'markDelivered',
  method: 'PUT',
  path: '/rooms/:id/delivered',
  tag: 'Rooms',
  summary: 'Report the last message that has reached the caller, as by a push',
  description:
    'The marker never moves backwards. Its new place is written, and goes out to the senders by the event delivered, once a second at most; the response comes after that.',
  access: 'client',
  form: 'envelope',
  params: z.object({ id: roomId }),
  body: z.strictObject({ message: messageId }),
  result: deliveredMarker,
  errors: ['MISSING_PARAMETER', 'NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND', 'MESSAGE_NOT_FOUND'],
  extension: true,
  example: { body: { message: exampleDelivered.messageID }, result: exampleDelivered },
})
