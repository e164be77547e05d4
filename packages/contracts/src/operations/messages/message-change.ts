import { z } from 'zod'
import { messageId } from '../../ids.ts'
import { message } from '../../resources/message.ts'

/** Shared by operations that change an existing message. */
export const messageChange = {
  tag: 'Messages',
  params: z.object({ id: messageId }),
  result: message,
} as const

export const messageChangeErrors = ['MESSAGE_NOT_FOUND', 'ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER', 'USER_BLOCKED'] as const
