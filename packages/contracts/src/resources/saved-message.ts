import { z } from 'zod'
import { messageId, roomId, timeMS } from '../ids.ts'
import { ours } from '../ours.ts'
import { message } from './message.ts'

const place = {
  messageID: messageId,
  room: roomId,
  threadOf: messageId.optional().describe('Root of the thread, for messages in a thread'),
}

export const remindAtMS = timeMS.describe('When to remind: a future time, within a year')

/** Payload of the event `reminder`. */
export const reminder = z.object({ ...place, remindAtMS: timeMS, createdAtMS: timeMS })

/** A bookmark or pending reminder (docs/reference/messages.md#reminders-and-bookmarks). */
export const savedMessage = z
  .object({
    ...place,
    remindAtMS: timeMS.optional().describe('Reminders only'),
    createdAtMS: timeMS,
    message: message.optional().describe('In lists only: the message in its current state'),
  })
  .meta({ id: 'SavedMessage', ...ours })
export type SavedMessage = z.infer<typeof savedMessage>
