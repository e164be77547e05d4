import { z } from 'zod'
import { messageId, roomId, timeMS } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { quote } from '../../resources/message.ts'

/** A found message with the beginning of its text. */
export const foundMessage = quote.extend({ room: roomId, messageTimeMS: timeMS, threadOf: messageId.optional() })

export const search = operation({
  id: 'search',
  method: 'POST',
  path: '/search',
  tag: 'Messages',
  summary: "Search the messages of the caller's rooms",
  description:
    'Finds the messages that hold every word of the keyword, or a word that begins with it (from 3 letters on), in a text or in the `text` of an object; latest first in each room. Case, accents, vowel marks and forms of a letter do not count: `strasse` finds Straße, `محمد` finds مُحَمَّد. Parts of addresses, paths and names such as snake_case and camelCase are words. In Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese any two letters in a row are found, and single Chinese, Japanese and Korean ones. Of a long text the first 2,000 of all that is found by count.',
  access: 'client',
  form: 'envelope',
  extension: true,
  body: z.strictObject({
    type: z
      .array(z.enum(['messages']))
      .min(1)
      .default(['messages']),
    keyword: z.string().min(1).max(256),
    room: roomId.optional().describe('Only this room'),
    roomTags: z
      .array(z.string().min(1).max(128))
      .max(100)
      .optional()
      .describe('Only rooms with one of these tags; all if empty'),
    excerpts: z.boolean().default(false).describe('Adds `found`'),
    limit: z.number().int().min(1).max(500).default(50).describe('Messages in all'),
  }),
  result: z.object({
    messages: z.array(
      z.object({
        room: roomId,
        messages: z.array(messageId).describe('In the history of the room'),
        threadMessages: z
          .array(z.object({ _id: messageId, threadOf: messageId }))
          .optional()
          .describe('In its threads; absent when there is none'),
      }),
    ),
    found: z
      .array(foundMessage)
      .optional()
      .describe('With `excerpts`: the same messages with the beginning of their text, the latest first'),
  }),
  errors: ['MISSING_PARAMETER', 'ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER'],
  example: {
    body: { type: ['messages'], keyword: 'hello' },
    result: { messages: [{ room: 'demo-room', messages: ['66f0c1a2b3c4d5e6f7a8b9c0'] }] },
  },
})
