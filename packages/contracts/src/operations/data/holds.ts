import { z } from 'zod'
import { madeId, naming, roomId, userId } from '../../ids.ts'
import { auditsParam, operation } from '../../operation.ts'
import { nextCursor, pageCursor } from '../../page-cursor.ts'
import { exampleHold, hold, holdReason } from '../../resources/hold.ts'

export const placeHold = operation('placeHold', 'POST /admin/holds', {
  tag: 'Data',
  summary: 'Place a legal hold on a user or room',
  description:
    'From the response on, retention, expiry and erasure skip the covered messages: all that the user wrote, or all in the room. The user or room may already be gone. Users cannot see holds.',
  access: 'admin',
  scope: 'config:write',
  audit: ({ body }) =>
    typeof body['room'] === 'string' ? { kind: 'room', id: body['room'] } : { kind: 'user', id: String(body['user']) },
  body: z
    .strictObject({
      user: userId.optional().describe('User to hold'),
      room: roomId.optional().describe('Room to hold, instead of a user'),
      reason: holdReason,
    })
    .meta({ oneOf: [{ required: ['user'] }, { required: ['room'] }] }),
  result: hold,
  errors: ['MISSING_PARAMETER', 'INVALID_REQUEST', 'TOO_MANY_HOLDS'],
  example: { body: { room: 'demo-room', reason: 'Case 12-345' }, result: exampleHold },
})

export const listHolds = operation('listHolds', 'GET /admin/holds', {
  tag: 'Data',
  summary: 'List the active legal holds, newest first',
  access: 'admin',
  scope: 'config:read',
  query: z.object({
    user: userId.optional().describe('Only holds on this user'),
    room: roomId.optional().describe('Only holds on this room'),
    limit: z.coerce.number().int().min(1).max(500).default(100),
    cursor: pageCursor,
  }),
  result: z.object({
    data: z.array(hold),
    cursor: nextCursor,
  }),
  errors: ['INVALID_QUERY'],
  example: { query: { limit: 100 }, result: { data: [exampleHold] } },
})

export const liftHold = operation('liftHold', 'DELETE /admin/holds/:id', {
  tag: 'Data',
  summary: 'Lift a legal hold',
  description: 'Within an hour, retention and expiry resume for messages that no other hold covers.',
  access: 'admin',
  scope: 'config:write',
  audit: auditsParam('config', 'id'),
  params: z.object({ id: naming('hold', madeId()) }),
  result: hold,
  errors: ['HOLD_NOT_FOUND'],
  example: { result: exampleHold },
})
