import { z } from 'zod'
import { isoTime, messageId, roomId, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { serverEvents } from '../../socket/server-events.ts'

/** Stands for all messages of a room in place of a message ID (docs/reference/messages.md#delete). */
export const allMessages = '_all'

const forMe = {
  tag: 'Messages',
  access: 'client',
  result: serverEvents.userDeleteMessages.payload,
} as const

export const deleteForMe = operation('deleteForMe', 'POST /messages/user-delete', {
  ...forMe,
  summary: 'Delete messages for the caller only',
  description: 'Other members keep them. Emits userDeleteMessages to the caller’s devices.',
  body: z.strictObject({ room: roomId, messages: z.array(messageId).min(1).max(1000) }),
  errors: ['MISSING_PARAMETER', 'ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER', 'MESSAGE_NOT_FOUND'],
  example: {
    body: { room: 'demo-room', messages: ['66f0c1a2b3c4d5e6f7a8b9c0'] },
    result: { room: 'demo-room', messages: ['66f0c1a2b3c4d5e6f7a8b9c0'], isUserDeleteAllMessagesInRoom: false },
  },
})

export const deleteAllForMe = operation('deleteAllForMe', 'POST /messages/user-delete/all-in-room', {
  ...forMe,
  summary: 'Delete all current messages of a room for the caller only',
  body: z.strictObject({ room: roomId }),
  errors: ['MISSING_PARAMETER', 'ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER'],
  example: {
    body: { room: 'demo-room' },
    result: { room: 'demo-room', messages: [], isUserDeleteAllMessagesInRoom: true, upToSeq: 12 },
  },
})

export const deleteForAll = operation('deleteForAll', 'DELETE /rooms/:roomID/messages/:messageID', {
  tag: 'Messages',
  summary: 'Delete a message, or with _all every message of the room, for everyone',
  description:
    'For the room owner, managers, platform admins and the API key. The message remains in the history as a stub with isDeleted true and a new updated time. `_all` takes effect immediately; the new updated times follow within seconds to minutes, depending on the size of the room.',
  access: 'client-or-admin',
  scope: 'messages:write',
  audit: ({ params }) =>
    params['messageID'] === allMessages
      ? { kind: 'room', id: params['roomID'] ?? '' }
      : { kind: 'message', id: params['messageID'] ?? '' },
  params: z.object({ roomID: roomId, messageID: messageId.describe('Message ID, or _all') }),
  result: z.object({
    deletedCount: z.number().int(),
    roomID: roomId,
    messageID: messageId,
    deletedBy: userId.nullable().describe('null for the API key'),
    deletedAt: isoTime,
  }),
  errors: ['ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER', 'USER_BLOCKED', 'INSUFFICIENT_PERMISSIONS', 'MESSAGE_NOT_FOUND'],
  example: {
    result: {
      deletedCount: 1,
      roomID: 'demo-room',
      messageID: '66f0c1a2b3c4d5e6f7a8b9c0',
      deletedBy: 'alice',
      deletedAt: '2026-11-20T12:00:00.000Z',
    },
  },
})
