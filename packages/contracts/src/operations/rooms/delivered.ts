import { z } from 'zod'
import { messageId, roomId, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'

/** Configuration key that limits delivery markers to rooms of `{maxMembers}`. */
export const deliveryConfigKey = 'deliveryMarkers'
/** The default of `maxMembers`. */
export const maxDeliveryMembers = 200

/** The position of a member's delivery marker. */
export const deliveredMarker = z.object({
  roomID: roomId,
  memberID: userId,
  messageID: messageId.describe('The reported message'),
  isMarked: z
    .boolean()
    .describe('False in rooms with too many members, where markers are neither stored nor announced'),
})
export const exampleDelivered = {
  roomID: 'demo-room',
  memberID: 'bob',
  messageID: '66f0c1a2b3c4d5e6f7a8b9c0',
  isMarked: true,
}

export const markDelivered = operation('markDelivered', 'PUT /rooms/:id/delivered', {
  tag: 'Rooms',
  summary: 'Report the last message delivered to the caller, for example by a push',
  description:
    'The marker never moves backwards. It is stored and emitted to the senders as delivered at most once a second, before the response is sent.',
  access: 'client',
  params: z.object({ id: roomId }),
  body: z.strictObject({ message: messageId }),
  result: deliveredMarker,
  errors: ['MISSING_PARAMETER', 'NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND', 'MESSAGE_NOT_FOUND'],
  example: { body: { message: exampleDelivered.messageID }, result: exampleDelivered },
})
