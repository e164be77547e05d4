import { z } from 'zod'
import { messageId } from '../../ids.ts'
import { message } from '../../resources/message.ts'

/** Shared by operations in which a member changes an existing message. */
export const messageChange = {
  tag: 'Messages',
  access: 'client',
  form: 'envelope',
  extension: true,
  params: z.object({ id: messageId }),
  result: message,
} as const

export const messageChangeErrors = ['MESSAGE_NOT_FOUND', 'ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER', 'USER_BLOCKED'] as const
