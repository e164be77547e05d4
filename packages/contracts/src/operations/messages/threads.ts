import { z } from 'zod'
import { deviceHeader } from '../../headers.ts'
import { messageId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { nextCursor, pageCursor } from '../../page-cursor.ts'
import { message } from '../../resources/message.ts'
import { exampleMessage } from '../examples.ts'
import { historyQuery, latestSeq } from './messages.ts'

const unread = z.number().int().min(0).describe('Unread messages in the thread; 0 for callers outside it')

const exampleReply = { ...exampleMessage, _id: '66f0c1a2b3c4d5e6f7a8b9c1', id: '66f0c1a2b3c4d5e6f7a8b9c1' }

export const listThread = operation('listThread', 'GET /messages/:id/thread', {
  tag: 'Messages',
  summary: 'List the messages of a thread, in pages',
  description: 'Paging works as in GET /rooms/{id}/messages/v3. `id` is the root or any message of the thread.',
  access: 'client',
  params: z.object({ id: messageId }),
  query: historyQuery,
  result: z.object({
    root: message.describe('Root of the thread'),
    totalCount: z.number().int().describe('Number of messages in the thread'),
    latestSeq,
    takesPart: z.boolean().describe('Whether the caller sent the root or a message of the thread'),
    unread,
    data: z.array(message),
    userDeletedIDs: z
      .array(z.string())
      .describe('Messages of this page, or the root, that the caller deleted for themselves'),
  }),
  errors: ['NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND', 'MESSAGE_NOT_FOUND', 'INVALID_QUERY'],
  example: {
    query: { limit: 20 },
    result: {
      root: { ...exampleMessage, threadCount: 1, threadLatestSeq: 1, threadParticipants: ['alice'] },
      totalCount: 1,
      latestSeq: 1,
      takesPart: true,
      unread: 0,
      data: [{ ...exampleReply, threadOf: exampleMessage._id }],
      userDeletedIDs: [],
    },
  },
})

export const listThreads = operation('listThreads', 'GET /threads', {
  tag: 'Messages',
  summary: 'List the caller’s threads, latest message first',
  description: 'Threads in which the caller participates, in rooms of which they are a member.',
  access: 'client',
  query: z.object({
    unread: z.enum(['true', 'false']).default('false').describe('true: only threads with unread messages'),
    limit: z.coerce.number().int().min(1).max(50).default(20),
    cursor: pageCursor,
  }),
  result: z.object({
    unreadThreads: z.number().int().describe('Number of all threads with unread messages'),
    data: z.array(
      z.object({
        root: message.describe('Root of the thread'),
        totalCount: z.number().int().describe('Number of messages in the thread'),
        latestSeq,
        unread,
      }),
    ),
    cursor: nextCursor,
  }),
  errors: ['INVALID_QUERY'],
  example: {
    query: { limit: 20 },
    result: {
      unreadThreads: 1,
      data: [
        {
          root: { ...exampleMessage, threadCount: 1, threadLatestSeq: 1, threadParticipants: ['alice'] },
          totalCount: 1,
          latestSeq: 1,
          unread: 1,
        },
      ],
    },
  },
})

export const markThreadRead = operation('markThreadRead', 'PUT /messages/:id/thread/lastRead', {
  tag: 'Messages',
  summary: 'Report the last message read in a thread',
  description:
    'The marker never moves backwards. When it moves, threadLastRead goes to the caller’s other devices. For callers outside the thread, nothing changes.',
  access: 'client',
  params: z.object({ id: messageId }),
  headers: deviceHeader,
  body: z.strictObject({ message: messageId.describe('A message of the thread') }),
  result: z.object({ threadOf: messageId, unread }),
  errors: ['MISSING_PARAMETER', 'NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND', 'MESSAGE_NOT_FOUND'],
  example: { body: { message: exampleReply._id }, result: { threadOf: exampleMessage._id, unread: 0 } },
})
