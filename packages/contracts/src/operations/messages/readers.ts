import { z } from 'zod'
import { messageId, roomId, timeMS } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { sender } from '../../resources/sender.ts'
import { exampleSender } from '../examples.ts'

/** Member limit of rooms whose readers are listed. */
export const maxReadersMembers = 1_000

export const listReaders = operation('listReaders', 'GET /messages/:id/readers', {
  tag: 'Messages',
  summary: 'List the readers of a message',
  description: `Members whose read marker has reached the message, earliest joined first, except its sender and members who joined later and have read nothing since. In rooms with more than ${maxReadersMembers} members: 413 RESULT_TOO_LARGE.`,
  access: 'client-or-admin',
  scope: 'messages:read',
  params: z.object({ id: messageId }),
  result: z.object({
    messageID: messageId,
    roomID: roomId,
    totalCount: z.number().int().describe('Number of readers'),
    memberCount: z.number().int().describe('Number of members of the room, including the sender'),
    data: z.array(
      z.object({
        ...sender.shape,
        lastReadTimeMS: timeMS.optional().describe('When the member last reported a read position in the room'),
      }),
    ),
  }),
  errors: ['MESSAGE_NOT_FOUND', 'ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER', 'RESULT_TOO_LARGE'],
  example: {
    result: {
      messageID: '66f0c1a2b3c4d5e6f7a8b9c0',
      roomID: 'demo-room',
      totalCount: 1,
      memberCount: 2,
      data: [{ ...exampleSender, lastReadTimeMS: 1_795_176_060_000 }],
    },
  },
})
