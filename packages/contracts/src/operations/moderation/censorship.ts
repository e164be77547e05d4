import { z } from 'zod'
import { roomId, timeMS, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { ours } from '../../ours.ts'

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

const count = z.number().int()

const moderationFigures = z
  .object({
    allow: count,
    mask: count,
    refuse: count,
    unanswered: count.describe('Without an answer in time, or not asked while the breaker was open'),
    p50MS: count.optional().describe('Half of the answers took at most this long; absent without answers'),
    p99MS: count.optional().describe('99 of 100 did'),
  })
  .meta({ id: 'ModerationFigures', ...ours })

export const readModeration = operation({
  id: 'readModeration',
  method: 'GET',
  path: '/admin/moderation',
  tag: 'Moderation',
  summary: 'Answers of the server that MODERATE names: how many of each kind, and how fast',
  description:
    'Of the last hour, also by minute, and of the last day; counted by every process and added up every 5 seconds. Times are rounded up, to 5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 400, 500, 750 ms, and so on to 10 s.',
  access: 'admin',
  scope: 'moderation:read',
  form: 'envelope',
  result: z.object({
    hour: moderationFigures,
    day: moderationFigures,
    minutes: z.array(z.object({ fromMS: timeMS, figures: moderationFigures })).describe('The present one is the last'),
    breakers: z
      .array(z.object({ node: z.string(), state: z.enum(['closed', 'open', 'half-open']) }))
      .describe(
        'At each process that has called the server. `open` after 5 failures in a row: for 5 seconds it is not asked; then one call decides',
      ),
    silentNodes: z.array(z.string()).describe('Processes that did not answer'),
  }),
  errors: [],
  extension: true,
  example: {
    result: {
      hour: { allow: 120, mask: 3, refuse: 1, unanswered: 0, p50MS: 35, p99MS: 150 },
      day: { allow: 2_400, mask: 51, refuse: 9, unanswered: 2, p50MS: 35, p99MS: 200 },
      minutes: [],
      breakers: [{ node: 'gateway-1', state: 'closed' }],
      silentNodes: [],
    },
  },
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
