import { z } from 'zod'
import { roomId, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'

export const tryCensorship = operation({
  id: 'tryCensorship',
  method: 'GET',
  path: '/admin/censorship',
  tag: 'Moderation',
  summary: 'A text as the censored words let it be',
  description: 'By the configuration key `censorship` as it is now. Nothing is sent or stored.',
  access: 'admin',
  scope: 'moderation:read',
  form: 'envelope',
  query: z.object({ text: z.string().max(2_000).describe('The text to try') }),
  result: z.object({ text: z.string().describe('With each character of a listed word as `*`') }),
  errors: ['INVALID_QUERY'],
  extension: true,
  example: { query: { text: 'That is a damn lie' }, result: { text: 'That is a **** lie' } },
})

export const tryModeration = operation({
  id: 'tryModeration',
  method: 'POST',
  path: '/admin/moderation/try',
  tag: 'Moderation',
  summary: 'Ask the server that the key MODERATE names about a text, as for a message',
  description: 'One call, as of an event `MESSAGE`. Nothing is sent or stored.',
  access: 'admin',
  scope: 'moderation:write',
  form: 'envelope',
  body: z.strictObject({
    text: z.string().min(1).max(2_000).describe('The message of the call'),
    sender: userId.optional().describe('`clientID` of the call; `test` by default'),
    room: roomId.optional().describe('`roomID` of the call; `test` by default'),
  }),
  result: z.object({
    action: z
      .enum(['allow', 'mask', 'refuse', 'unanswered', 'none'])
      .describe('unanswered: none came in time, or one that is no answer; none: the key names no server'),
    text: z.string().optional().describe('Of the answer'),
    durationMS: z.number().int().describe('From the call to the answer'),
  }),
  errors: ['MISSING_PARAMETER'],
  extension: true,
  example: { body: { text: 'You are an idiot' }, result: { action: 'mask', text: 'You are an *****', durationMS: 41 } },
})
