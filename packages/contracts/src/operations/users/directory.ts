import { z } from 'zod'
import { comparedText, roomId, shownName, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { maxFound } from '../../resources/directory.ts'
import { room } from '../../resources/room.ts'
import { sender } from '../../resources/sender.ts'
import { exampleRoom, exampleSender } from '../examples.ts'

export const searchUsers = operation({
  id: 'searchUsers',
  method: 'GET',
  path: '/users/search',
  tag: 'Users and tokens',
  summary: 'Find users by the beginning of their name',
  description:
    "Finds the users whose nickname, or a word of it, begins with `q`; a user without a nickname is found by the ID. Case, accents and forms of a letter do not count: `mul` finds Anna Müller. The app's configuration key `directory` says which users are found: `all`, `sharedRooms` (the default: those in a room with the caller), `off`, or those that a server of yours names. With `room` they are the members of that room, whatever the key says. The caller, users banned from the app, and users that the caller blocks or is blocked by are never found.",
  access: 'client',
  form: 'envelope',
  query: z.object({
    q: comparedText(256).min(1),
    room: roomId.optional().describe('Only members of this room'),
    limit: z.coerce.number().int().min(1).max(maxFound).default(20),
  }),
  result: z.object({ data: z.array(sender) }),
  errors: ['INVALID_QUERY', 'DIRECTORY_OFF', 'ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER'],
  extension: true,
  example: { query: { q: 'al', limit: 20 }, result: { data: [exampleSender] } },
})

export const startChat = operation({
  id: 'startChat',
  method: 'POST',
  path: '/me/rooms',
  tag: 'Rooms',
  summary: 'Start a chat with users whom the caller may find',
  description:
    'With one user it is the direct room of the two, which is made where there is none; with several a closed group, whose owner the caller is. It needs the configuration key `directory`: users who may not be found by it are refused as unknown ones.',
  access: 'client',
  form: 'envelope',
  body: z.strictObject({
    members: z
      .array(userId)
      .min(1)
      .max(maxFound - 1)
      .describe('User IDs, without the caller'),
    name: shownName(256).optional().describe('Of a group'),
  }),
  result: room,
  errors: ['MISSING_PARAMETER', 'CLIENT_NOT_FOUND', 'DIRECTORY_OFF', 'MESSAGE_REFUSED'],
  extension: true,
  example: { body: { members: ['bob'] }, result: exampleRoom },
})
