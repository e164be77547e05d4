import { z } from 'zod'
import { messageId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { pageCursor } from '../../page-cursor.ts'
import { remindAtMS, savedMessage } from '../../resources/saved-message.ts'
import { exampleMessage } from '../examples.ts'

const params = z.object({ id: messageId })
const page = z.object({
  limit: z.coerce.number().int().min(1).max(50).default(20),
  cursor: pageCursor,
})
const cursor = z.string().optional().describe('For the next page; absent on the last one')
const removed = z.object({ removed: z.number().int().describe('1, or 0 if there was nothing to remove') })
const saveErrors = ['MESSAGE_NOT_FOUND', 'ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER', 'CLIENT_NOT_FOUND'] as const

const place = { messageID: exampleMessage._id, room: 'demo-room' }
const exampleBookmark = { ...place, createdAtMS: 1_795_176_000_000 }
export const exampleReminder = { ...exampleBookmark, remindAtMS: 1_795_262_400_000 }

export const setReminder = operation('setReminder', 'POST /me/reminders', {
  tag: 'Messages',
  summary: 'Set or move the reminder of a message',
  description:
    'When it is due, connected devices get the event reminder, the others a push: once, late rather than never. Then it is removed.',
  access: 'client',
  body: z.strictObject({ message: messageId, remindAtMS }),
  result: savedMessage,
  errors: [...saveErrors, 'TOO_MANY_SAVED'],
  example: { body: { message: exampleMessage._id, remindAtMS: 1_795_262_400_000 }, result: exampleReminder },
})

export const listReminders = operation('listReminders', 'GET /me/reminders', {
  tag: 'Messages',
  summary: 'List pending reminders, next first',
  description: 'Entries of messages that no longer exist are left out, so a page may be shorter than `limit`.',
  access: 'client',
  query: page,
  result: z.object({ data: z.array(savedMessage), cursor }),
  errors: ['INVALID_QUERY'],
  example: { query: { limit: 20 }, result: { data: [{ ...exampleReminder, message: exampleMessage }] } },
})

export const deleteReminder = operation('deleteReminder', 'DELETE /me/reminders/:id', {
  tag: 'Messages',
  summary: 'Cancel the reminder of a message',
  access: 'client',
  params,
  result: removed,
  example: { result: { removed: 1 } },
})

export const saveBookmark = operation('saveBookmark', 'PUT /me/bookmarks/:id', {
  tag: 'Messages',
  summary: 'Bookmark a message; an existing bookmark keeps its position',
  access: 'client',
  params,
  result: savedMessage,
  errors: [...saveErrors, 'TOO_MANY_SAVED'],
  example: { result: exampleBookmark },
})

export const listBookmarks = operation('listBookmarks', 'GET /me/bookmarks', {
  tag: 'Messages',
  summary: 'List bookmarks, newest first',
  description: 'Entries of messages that no longer exist are left out, so a page may be shorter than `limit`.',
  access: 'client',
  query: page,
  result: z.object({ data: z.array(savedMessage), cursor }),
  errors: ['INVALID_QUERY'],
  example: { query: { limit: 20 }, result: { data: [{ ...exampleBookmark, message: exampleMessage }] } },
})

export const deleteBookmark = operation('deleteBookmark', 'DELETE /me/bookmarks/:id', {
  tag: 'Messages',
  summary: 'Remove a bookmark',
  access: 'client',
  params,
  result: removed,
  example: { result: { removed: 1 } },
})
