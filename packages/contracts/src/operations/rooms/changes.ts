import { z } from 'zod'
import { messageId, roomId, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { invitation } from '../../resources/invitation.ts'
import { room } from '../../resources/room.ts'
import { exampleMessage, exampleRoom } from '../examples.ts'

/** Maximum number of rooms in a page of changes. */
export const maxChangedRooms = 100

export const getChanges = operation('getChanges', 'GET /me/changes', {
  tag: 'Rooms',
  summary: 'Get the changes for the caller since a time',
  description:
    'For clients that poll or wake from a push: the REST equivalent of `since` in `auth2`. Rooms have their current state. While `complete` is false, repeat with the cursor. On 410 CURSOR_GONE, the events are no longer kept, or the user was created after them: fetch all rooms, then continue with the cursor of the error.',
  access: 'client',
  query: z.object({
    since: z
      .string()
      .regex(/^\d{1,15}(-\d{1,15}){0,16}$/, 'expected a cursor, or the serverTimeMS of a socket')
      .describe('`cursor` of the last response, or `serverTimeMS` of a socket; first 0'),
    limit: z.coerce.number().int().min(1).max(maxChangedRooms).default(50).describe('Maximum number of rooms'),
  }),
  result: z.object({
    rooms: z
      .array(
        z.object({
          room: room.describe('As in GET /rooms/{id}, with unread, preferences and last message'),
          seq: z.number().int().describe('`seq` of the last message'),
          messages: z.boolean().describe('Whether to fetch messages: some are new, changed or deleted'),
          threads: z
            .array(messageId)
            .describe('Roots of threads to fetch: messages are new, changed or deleted, or the caller has read them'),
          lastRead: z
            .array(z.object({ memberID: userId, messageID: messageId }))
            .describe('Latest position of each read marker that moved'),
        }),
      )
      .describe('Changed rooms'),
    removed: z.array(roomId).describe('Rooms that the user left, was removed from, or that were deleted'),
    invitations: z.array(invitation).describe('New invitations that are still open'),
    // Not a record: zod would leave out the key `__proto__`, which is an ordinary one here.
    prefs: z.any().meta({ type: 'object', description: 'Current values of personal preferences that were set' }),
    deletedPrefs: z.array(z.string()).describe('Keys of deleted personal preferences'),
    cursor: z.string().describe('The next `since`; if `complete`, also for `auth2`, as a number'),
    complete: z.boolean().describe('False if there are more changes'),
  }),
  errors: ['INVALID_QUERY', 'CURSOR_GONE'],
  example: {
    query: { since: '1795176000000', limit: 50 },
    result: {
      rooms: [
        {
          room: exampleRoom,
          seq: 7,
          messages: true,
          threads: [],
          lastRead: [{ memberID: 'bob', messageID: exampleMessage._id }],
        },
      ],
      removed: [],
      invitations: [],
      prefs: { theme: { dark: true } },
      deletedPrefs: [],
      cursor: '1795176060000',
      complete: true,
    },
  },
})
