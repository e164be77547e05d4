import { z } from 'zod'
import { messageId, roomId, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { ours } from '../../ours.ts'

export const markRead = operation('markRead', 'PUT /rooms/:id/lastRead', {
  inInterface: true,
  tag: 'Rooms',
  summary: 'Report the last message read by the caller',
  description: 'The marker never moves backwards. The result and the event lastRead to all members have its position.',
  access: 'client',
  params: z.object({ id: roomId }),
  body: z.strictObject({ message: messageId }),
  result: z.object({ roomID: roomId, memberID: userId, messageID: messageId, unread: z.number().int() }).meta(ours),
  errors: ['MISSING_PARAMETER', 'NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND', 'MESSAGE_NOT_FOUND'],
  example: { body: { message: '66f0c1a2b3c4d5e6f7a8b9c0' } },
})
