import { z } from 'zod'
import { roomId, timeMS, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { foundMessage } from '../search/search.ts'

export const searchAllMessages = operation({
  id: 'searchAllMessages',
  method: 'POST',
  path: '/admin/search',
  tag: 'Administration',
  summary: 'Search the messages of all rooms of the app',
  description:
    'The latest first, in the words of POST /search. It needs `keyword`, `room` or `sender`: no index finds messages by type or time alone. Deleted and recalled messages are left out. `room` without `keyword` leaves out threads; `sender` without both finds messages with text.',
  access: 'admin',
  scope: 'messages:read',
  conversations: true,
  form: 'envelope',
  extension: true,
  body: z
    .strictObject({
      keyword: z.string().min(1).max(256).optional().describe('Every word, or words that begin with it'),
      room: roomId.optional(),
      sender: userId.optional(),
      messageType: z.string().min(1).max(64).optional(),
      afterTimeMS: timeMS.optional().describe('Only messages sent later'),
      beforeTimeMS: timeMS.optional().describe('Only messages sent earlier'),
      limit: z.number().int().min(1).max(100).default(50),
      cursor: z.string().max(100).optional().describe('`cursor` of the page before, with the same filters'),
    })
    .meta({ anyOf: [{ required: ['keyword'] }, { required: ['room'] }, { required: ['sender'] }] }),
  result: z.object({
    data: z.array(foundMessage),
    cursor: z.string().optional().describe('Of the next page; absent on the last one'),
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
