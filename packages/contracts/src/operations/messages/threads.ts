import { z } from 'zod'
import { deviceHeader } from '../../headers.ts'
import { messageId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { message } from '../../resources/message.ts'
import { exampleMessage } from '../examples.ts'
import { historyQuery, latestSeq } from './messages.ts'

const unread = z.number().int().min(0).describe('Messages of the thread that the caller has not read; 0 outside of it')

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
    latestSeq,
    takesPart: z.boolean().describe('Whether the caller sent the root or a message of the thread'),
    unread,
    data: z.array(message),
    userDeletedIDs: z
      .array(z.string())
      .describe('IDs of the messages of this page that the caller deleted for themselves, the root among them'),
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

export const listThreads = operation({
  id: 'listThreads',
  method: 'GET',
  path: '/threads',
  tag: 'Messages',
  summary: 'The threads in which the caller takes part, in the rooms that they are in',
  description: 'Those with the latest messages first.',
  access: 'client',
  form: 'envelope',
  extension: true,
  query: z.object({
    unread: z.enum(['true', 'false']).default('false').describe('true: only those with unread messages'),
    limit: z.coerce.number().int().min(1).max(50).default(20),
    cursor: z.string().max(100).optional().describe('`cursor` of the page before'),
  }),
  result: z.object({
    unreadThreads: z.number().int().describe('How many of all threads have unread messages'),
    data: z.array(
      z.object({
        root: message.describe('The message that the thread is about'),
        totalCount: z.number().int().describe('All messages of the thread'),
        latestSeq,
        unread,
      }),
    ),
    cursor: z.string().optional().describe('Of the next page; absent on the last one'),
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

export const markThreadRead = operation({
  id: 'markThreadRead',
  method: 'PUT',
  path: '/messages/:id/thread/lastRead',
  tag: 'Messages',
  summary: 'Report the last message of a thread that the caller has read',
  description:
    'The marker never moves backwards. A caller outside the thread has none: nothing changes. When it moves, threadLastRead goes to the other devices of the caller.',
  access: 'client',
  form: 'envelope',
  extension: true,
  params: z.object({ id: messageId }),
  headers: deviceHeader,
  body: z.strictObject({ message: messageId.describe('A message of the thread') }),
  result: z.object({ threadOf: messageId, unread }),
  errors: ['MISSING_PARAMETER', 'NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND', 'MESSAGE_NOT_FOUND'],
  example: { body: { message: exampleReply._id }, result: { threadOf: exampleMessage._id, unread: 0 } },
})
