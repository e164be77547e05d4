import { z } from 'zod'
import { comparedText, roomId, shownName, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { maxFound } from '../../resources/directory.ts'
import { room } from '../../resources/room.ts'
import { sender } from '../../resources/sender.ts'
import { exampleRoom, exampleSender } from '../examples.ts'

export const searchUsers = operation('searchUsers', 'GET /users/search', {
  tag: 'Users and tokens',
  summary: 'Find users by a prefix of their name',
  description:
    'Matches users whose nickname, or a word in it, begins with `q`; users without a nickname by ID. Case, accents and letter forms are ignored: `mul` finds Anna Müller. The configuration key `directory` sets who can be found: `all`, `sharedRooms` (default: users who share a room with the caller), `off`, or the users that your server returns. With `room`, members of that room are found regardless of the key. The caller, users banned from the app, and users who block or are blocked by the caller are never found.',
  access: 'client',
  query: z.object({
    q: comparedText(256).min(1),
    room: roomId.optional().describe('Only members of this room'),
    limit: z.coerce.number().int().min(1).max(maxFound).default(20),
  }),
  result: z.object({ data: z.array(sender) }),
  errors: ['INVALID_QUERY', 'DIRECTORY_OFF', 'ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER'],
  example: { query: { q: 'al', limit: 20 }, result: { data: [exampleSender] } },
})

export const startChat = operation('startChat', 'POST /me/rooms', {
  tag: 'Rooms',
  summary: 'Start a chat with users that the caller can find',
  description:
    'With one user, returns their direct room, which is created if needed; with several, a new closed group owned by the caller. Requires the configuration key `directory`: users who cannot be found are refused as unknown.',
  access: 'client',
  body: z.strictObject({
    members: z
      .array(userId)
      .min(1)
      .max(maxFound - 1)
      .describe('User IDs, excluding the caller'),
    name: shownName(256).optional().describe('Name of the group'),
  }),
  result: room,
  errors: ['MISSING_PARAMETER', 'CLIENT_NOT_FOUND', 'DIRECTORY_OFF', 'MESSAGE_REFUSED'],
  example: { body: { members: ['bob'] }, result: exampleRoom },
})
