import { z } from 'zod'
import { roomId, timeMS, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { nextCursor } from '../../page-cursor.ts'
import { foundMessage } from '../search/search.ts'

export const searchAllMessages = operation('searchAllMessages', 'POST /admin/search', {
  tag: 'Administration',
  summary: 'Search the messages of all rooms',
  description:
    'Newest first; keywords match as in POST /search. Deleted and recalled messages are left out. Without `keyword`, threads are left out, except those of a `sender` alone, which finds only messages with text.',
  access: 'admin',
  scope: 'messages:read',
  conversations: true,
  body: z.strictObject({
    keyword: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('Matches messages with every word, or with words that begin with it'),
    room: roomId.optional(),
    sender: userId.optional(),
    messageType: z.string().min(1).max(64).optional(),
    afterTimeMS: timeMS.optional().describe('Only messages sent later'),
    beforeTimeMS: timeMS.optional().describe('Only messages sent earlier'),
    limit: z.number().int().min(1).max(100).default(50),
    cursor: z.string().max(100).optional().describe('`cursor` of the previous page, with the same filters'),
  }),
  result: z.object({
    data: z.array(foundMessage),
    cursor: nextCursor,
  }),
  errors: ['ROOM_NOT_FOUND'],
  example: {
    body: { keyword: 'refund', sender: 'alice' },
    result: {
      data: [
        {
          _id: '66f0c1a2b3c4d5e6f7a8b9c0',
          sender: 'alice',
          messageType: 'text',
          text: 'Where is my refund?',
          isDeleted: false,
          room: 'demo-room',
          messageTimeMS: 1_795_176_000_000,
        },
      ],
    },
  },
})
