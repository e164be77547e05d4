import { z } from 'zod'
import { roomId, userId } from '../ids.ts'
import { operation } from '../operation.ts'
import { room } from '../resources/room.ts'
import { exampleRoom } from './examples.ts'
import { roomFields } from './rooms.ts'

const params = z.object({ id: roomId })

export const getRoom = operation({
  id: 'getRoom',
  method: 'GET',
  path: '/rooms/:id',
  tag: 'Rooms',
  summary: 'A room of the caller',
  access: 'client',
  form: 'envelope',
  params,
  result: room,
  errors: ['NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND'],
  extension: true,
  example: { result: exampleRoom },
})

export const updateRoom = operation({
  id: 'updateRoom',
  method: 'PUT',
  path: '/rooms/:id',
  tag: 'Rooms',
  summary: 'Change a room',
  description:
    'By the owner, a manager, a platform admin, or the API key; owner, managers and status not by a manager. Emits room to all members.',
  access: 'client-or-admin',
  form: 'envelope',
  params,
  body: z.strictObject({
    ...roomFields,
    managers: z.array(userId).max(1_000).optional(),
    opening: z.literal([0, 1]).optional().describe('0 closed to joining and invitations, 1 open'),
    status: z.literal([0, 1]).optional().describe('0 frozen: nobody sends'),
  }),
  result: room,
  errors: ['NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND', 'INSUFFICIENT_PERMISSIONS'],
  extension: true,
  example: { body: { name: 'Demo' }, result: exampleRoom },
})

export const deleteRoom = operation({
  id: 'deleteRoom',
  method: 'DELETE',
  path: '/rooms/:id',
  tag: 'Rooms',
  summary: 'Delete a room',
  description: 'By the owner, a platform admin, or the API key. Emits room with status 0 to all members.',
  access: 'client-or-admin',
  form: 'envelope',
  params,
  result: room,
  errors: ['NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND', 'INSUFFICIENT_PERMISSIONS'],
  extension: true,
  example: { result: { ...exampleRoom, status: 0 } },
})
