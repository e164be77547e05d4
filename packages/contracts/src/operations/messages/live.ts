import { z } from 'zod'
import { roomId, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'

/** All or part of the text that a member is typing. */
export const typingText = z.string().max(4096).describe('Empty: typing has ended')
/** A piece of a message that is being written. */
export const streamedText = z.string().max(65_536)

export const typing = operation('typing', 'POST /rooms/:id/typing', {
  tag: 'Messages',
  summary: 'Show the other members that the caller is typing',
  description: 'Same as the emit `typing`. Nothing is stored; the caller gets no event.',
  access: 'client',
  params: z.object({ id: roomId }),
  body: z.strictObject({ message: typingText }),
  result: z.object({}),
  errors: ['MISSING_PARAMETER', 'ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER', 'USER_BLOCKED', 'ROOM_FROZEN', 'MESSAGE_REFUSED'],
  example: { body: { message: 'Hel' }, result: {} },
})

export const streamText = operation('streamText', 'POST /rooms/:id/aiStreaming', {
  tag: 'Messages',
  summary: 'Stream a piece of a message from a robot',
  description: 'Emits ai_streaming to the room; nothing is stored.',
  access: 'admin',
  scope: 'messages:write',
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
  example: { body: { sender: 'robot', text: 'Once upon ' }, result: {} },
})
