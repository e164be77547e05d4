import { z } from 'zod'
import { messageId, roomId, timeMS } from '../ids.ts'
import { ours } from '../ours.ts'
import { message } from './message.ts'

const place = {
  messageID: messageId,
  room: roomId,
  threadOf: messageId.optional().describe('Of a message in a thread: its root'),
}

export const remindAtMS = timeMS.describe('When to remind: a time to come, within a year')

/** The event of a reminder. */
export const reminder = z.object({ ...place, remindAtMS: timeMS, createdAtMS: timeMS })

/** A bookmark, or a reminder to come (docs/reference/messages.md#reminders-and-bookmarks). */
export const savedMessage = z
  .object({
    ...place,
    remindAtMS: timeMS.optional().describe('Of a reminder'),
    createdAtMS: timeMS,
    message: message.optional().describe('As it is now, in lists'),
  })
  .meta({ id: 'SavedMessage', ...ours })
export type SavedMessage = z.infer<typeof savedMessage>
