import { z } from 'zod'
import { roomId, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'

/** The text that a member is typing, or a part of it. */
export const typingText = z.string().max(4096).describe('Empty: the text was cleared, and typing ends')
/** A piece of a message that is being written. */
export const streamedText = z.string().max(65_536)

export const typing = operation({
  id: 'typing',
  method: 'POST',
  path: '/rooms/:id/typing',
  tag: 'Messages',
  summary: 'Show the other members that the caller is typing',
  description: 'The same as the emit `typing`. Nothing is stored, and the caller gets no event.',
  access: 'client',
  form: 'envelope',
  params: z.object({ id: roomId }),
  body: z.strictObject({ message: typingText }),
  result: z.object({}),
  errors: ['MISSING_PARAMETER', 'ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER', 'USER_BLOCKED', 'ROOM_FROZEN', 'MESSAGE_REFUSED'],
  extension: true,
  example: { body: { message: 'Hel' }, result: {} },
})

export const streamText = operation({
  id: 'streamText',
  method: 'POST',
  path: '/rooms/:id/aiStreaming',
  tag: 'Messages',
  summary: 'Stream a piece of a message that a robot is writing',
  description: 'Emits ai_streaming to the room; nothing is stored.',
  access: 'admin',
  scope: 'messages:write',
  form: 'envelope',
  params: z.object({ id: roomId }),
  body: z.strictObject({ sender: userId.describe('A robot in the room'), text: streamedText }),
  result: z.object({}),
  errors: [
    'USER_BANNED',
    'MISSING_PARAMETER',
    'ROOM_NOT_FOUND',
    'CLIENT_NOT_FOUND',
    'NOT_ROOM_MEMBER',
    'USER_BLOCKED',
    'ROOM_FROZEN',
    'INSUFFICIENT_PERMISSIONS',
  ],
  extension: true,
  example: { body: { sender: 'robot', text: 'Once upon ' }, result: {} },
})
