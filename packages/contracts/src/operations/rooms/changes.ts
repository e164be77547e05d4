import { z } from 'zod'
import { messageId, roomId, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { invitation } from '../../resources/invitation.ts'
import { room } from '../../resources/room.ts'
import { exampleMessage, exampleRoom } from '../examples.ts'

/** A page of changes has at most this many rooms. */
export const mostChangedRooms = 100

export const getChanges = operation({
  id: 'getChanges',
  method: 'GET',
  path: '/me/changes',
  tag: 'Rooms',
  summary: 'The caller’s changes since a time',
  description:
    'For clients that poll, or wake from a push; the same by REST as `since` of `auth2`. Rooms come with their state of now. While `complete` is false, ask again with the cursor. 410 CURSOR_GONE: the events since then are no longer kept, or the user was created after them; read all rooms, and go on with the cursor of the error.',
  access: 'client',
  form: 'envelope',
  query: z.object({
    since: z
      .string()
      .regex(/^\d{1,15}(-\d{1,15}){0,16}$/, 'expected a cursor, or the serverTimeMS of a socket')
      .describe('The cursor of the last answer, or `serverTimeMS` of a socket; 0 for the first time'),
    limit: z.coerce.number().int().min(1).max(mostChangedRooms).default(50).describe('Rooms at most'),
  }),
  result: z.object({
    rooms: z
      .array(
        z.object({
          room: room.describe('The room as GET /rooms/{id} has it: with unread, preferences and last message'),
          seq: z.number().int().describe('seq of the last message'),
          messages: z.boolean().describe('Whether messages came, or were changed or deleted: fetch them'),
          threads: z
            .array(messageId)
            .describe(
              'The threads, each by its root, in which messages came, or were changed or deleted, or in which the caller has read: fetch them',
            ),
          lastRead: z
            .array(z.object({ memberID: userId, messageID: messageId }))
            .describe('The read markers that moved, each as it is last'),
        }),
      )
      .describe('The rooms that changed'),
    removed: z.array(roomId).describe('Rooms that the user is in no more, or that were deleted'),
    invitations: z.array(invitation).describe('Those that came and are open still'),
    // Not a record: zod would leave out the key `__proto__`, which is an ordinary one here.
    prefs: z.any().meta({ type: 'object', description: 'The personal preferences that were set, as they are now' }),
    deletedPrefs: z.array(z.string()).describe('Keys of personal preferences that were deleted'),
    cursor: z.string().describe('The next `since`; when `complete`, also for `auth2`, as a number'),
    complete: z.boolean().describe('False: there is more'),
  }),
  errors: ['INVALID_QUERY', 'CURSOR_GONE'],
  extension: true,
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
