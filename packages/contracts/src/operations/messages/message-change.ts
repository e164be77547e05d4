import { z } from 'zod'
import { messageId } from '../../ids.ts'
import { message } from '../../resources/message.ts'

/** What operations have in common by which a member changes a message that is there. */
export const messageChange = {
  tag: 'Messages',
  access: 'client',
  form: 'envelope',
  extension: true,
  params: z.object({ id: messageId }),
  result: message,
} as const

export const messageChangeErrors = ['MESSAGE_NOT_FOUND', 'ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER', 'USER_BLOCKED'] as const
