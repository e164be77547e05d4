import { z } from 'zod'
import { messageId, roomId, timeMS } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { quote } from '../../resources/message.ts'

/** A search hit with the beginning of the message's text. */
export const foundMessage = quote.extend({ room: roomId, messageTimeMS: timeMS, threadOf: messageId.optional() })

export const search = operation('search', 'POST /search', {
  tag: 'Messages',
  summary: "Search the messages of the caller's rooms",
  description:
    'Matches messages whose text, or the `text` of whose object, has every word of the keyword, or words that begin with it (from 3 letters on); newest first in each room. Case, accents, vowel marks and letter forms are ignored: `strasse` finds Straße, `محمد` finds مُحَمَّد. Parts of addresses, paths, snake_case and camelCase names are words. In Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese, any two adjacent letters match, as do single Chinese, Japanese and Korean letters. Only the first 2,000 search terms of a long text are indexed.',
  access: 'client',
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
      .describe('Only rooms with one of these tags; empty: all rooms'),
    excerpts: z.boolean().default(false).describe('Also return `found`'),
    limit: z.number().int().min(1).max(500).default(50).describe('Maximum number of messages in total'),
  }),
  result: z.object({
    messages: z.array(
      z.object({
        room: roomId,
        messages: z.array(messageId).describe('Matches in the history of the room'),
        threadMessages: z
          .array(z.object({ _id: messageId, threadOf: messageId }))
          .optional()
          .describe('Matches in threads of the room; absent if there are none'),
      }),
    ),
    found: z
      .array(foundMessage)
      .optional()
      .describe('With `excerpts`: the same messages with the beginning of their text, newest first'),
  }),
  errors: ['MISSING_PARAMETER', 'ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER'],
  example: {
    body: { type: ['messages'], keyword: 'hello' },
    result: { messages: [{ room: 'demo-room', messages: ['66f0c1a2b3c4d5e6f7a8b9c0'] }] },
  },
})
