import { z } from 'zod'
import { messageId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { message } from '../../resources/message.ts'
import { exampleMessage } from '../examples.ts'
import { historyQuery } from './messages.ts'

const unread = z
  .number()
  .int()
  .min(0)
  .describe('Messages of the thread that the caller has not read; 0 for who takes no part')

const exampleReply = { ...exampleMessage, _id: '66f0c1a2b3c4d5e6f7a8b9c1', id: '66f0c1a2b3c4d5e6f7a8b9c1' }

export const listThread = operation({
  id: 'listThread',
  method: 'GET',
  path: '/messages/:id/thread',
  tag: 'Messages',
  summary: 'A page of the thread about a message',
  description:
    'Pages go as those of the history of a room: see GET /rooms/{id}/messages/v3. The ID of a message of the thread names the thread, too.',
  access: 'client',
  form: 'envelope',
  extension: true,
  params: z.object({ id: messageId }),
  query: historyQuery,
  result: z.object({
    root: message.describe('The message that the thread is about'),
    totalCount: z.number().int().describe('All messages of the thread'),
    takesPart: z.boolean().describe('Whether the caller sent the root or a message of the thread'),
    unread,
    data: z.array(message),
    userDeletedIDs: z.array(z.string()).describe('IDs of the messages that the caller deleted for themselves'),
  }),
  errors: ['NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND', 'MESSAGE_NOT_FOUND', 'INVALID_QUERY'],
  example: {
    query: { limit: 20 },
    result: {
      root: { ...exampleMessage, threadCount: 1, threadParticipants: ['alice'] },
      totalCount: 1,
      takesPart: true,
      unread: 0,
      data: [{ ...exampleReply, threadOf: exampleMessage._id }],
      userDeletedIDs: [],
    },
  },
})

export const markThreadRead = operation({
  id: 'markThreadRead',
  method: 'PUT',
  path: '/messages/:id/thread/lastRead',
  tag: 'Messages',
  summary: 'Report the last message of a thread that the caller has read',
  description: 'The marker never moves backwards. Of who takes no part in the thread there is none: nothing changes.',
  access: 'client',
  form: 'envelope',
  extension: true,
  params: z.object({ id: messageId }),
  body: z.strictObject({ message: messageId.describe('A message of the thread') }),
  result: z.object({ threadOf: messageId, unread }),
  errors: ['MISSING_PARAMETER', 'NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND', 'MESSAGE_NOT_FOUND'],
  example: { body: { message: exampleReply._id }, result: { threadOf: exampleMessage._id, unread: 0 } },
})
