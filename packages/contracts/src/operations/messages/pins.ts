import { z } from 'zod'
import { roomId } from '../../ids.ts'
import { auditsParam, operation } from '../../operation.ts'
import { message } from '../../resources/message.ts'
import { exampleMessage } from '../examples.ts'
import { messageChange, messageChangeErrors } from './message-change.ts'

export const pinMessage = operation('pinMessage', 'POST /messages/:id/pin', {
  ...messageChange,
  access: 'client-or-admin',
  scope: 'messages:write',
  conversations: true,
  audit: auditsParam('message', 'id'),
  summary: 'Pin a message',
  errors: [...messageChangeErrors, 'ROOM_FROZEN'],
  example: { result: { ...exampleMessage, pinned: true } },
})

export const unpinMessage = operation('unpinMessage', 'DELETE /messages/:id/pin', {
  ...messageChange,
  access: 'client-or-admin',
  scope: 'messages:write',
  conversations: true,
  audit: auditsParam('message', 'id'),
  summary: 'Unpin a message',
  errors: [...messageChangeErrors, 'ROOM_FROZEN'],
  example: { result: exampleMessage },
})

export const listPins = operation('listPins', 'GET /rooms/:id/pins', {
  tag: 'Messages',
  summary: 'List the pinned messages of a room, newest first',
  description: 'Messages that the caller deleted for themselves are left out.',
  access: 'client',
  params: z.object({ id: roomId }),
  query: z.object({
    limit: z.coerce.number().int().min(1).max(50).default(20),
    beforeSeq: z.coerce.number().int().min(1).optional().describe('`beforeSeq` of the previous page'),
  }),
  result: z.object({
    data: z.array(message),
    beforeSeq: z.number().int().optional().describe('For the next page; absent on the last one'),
  }),
  errors: ['ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER', 'INVALID_QUERY'],
  example: { query: { limit: 20 }, result: { data: [{ ...exampleMessage, pinned: true }] } },
})
