import { z } from 'zod'
import { roomId, timeMS, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { ours } from '../../ours.ts'

export const tryCensorship = operation('tryCensorship', 'GET /admin/censorship', {
  tag: 'Moderation',
  summary: 'Preview a text with censored words masked',
  description: 'Applies the current configuration key `censorship`. Nothing is sent or stored.',
  access: 'admin',
  scope: 'moderation:read',
  query: z.object({ text: z.string().max(2_000).describe('Text to mask') }),
  result: z.object({ text: z.string().describe('The text with each character of a listed word replaced by `*`') }),
  errors: ['INVALID_QUERY'],
  example: { query: { text: 'That is a damn lie' }, result: { text: 'That is a **** lie' } },
})

const count = z.number().int()

const moderationFigures = z
  .object({
    allow: count,
    mask: count,
    refuse: count,
    unanswered: count.describe('No answer in time, or not called while the breaker was open'),
    p50MS: count.optional().describe('Median response time; absent without answers'),
    p99MS: count.optional().describe('99th percentile'),
  })
  .meta({ id: 'ModerationFigures', ...ours })

export const readModeration = operation('readModeration', 'GET /admin/moderation', {
  tag: 'Moderation',
  summary: 'Get counts and response times of the MODERATE server',
  description:
    'For the last hour, in total and by minute, and the last day, aggregated over all processes every 5 seconds. Times are rounded up to 5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 400, 500, 750 ms, and so on up to 10 s.',
  access: 'admin',
  scope: 'moderation:read',
  result: z.object({
    hour: moderationFigures,
    day: moderationFigures,
    minutes: z
      .array(z.object({ fromMS: timeMS, figures: moderationFigures }))
      .describe('The last one is the current minute'),
    breakers: z
      .array(z.object({ node: z.string(), state: z.enum(['closed', 'open', 'half-open']) }))
      .describe(
        'Circuit breakers of the processes that called the server. `open` after 5 consecutive failures: no calls for 5 seconds, then one trial call decides',
      ),
    silentNodes: z.array(z.string()).describe('Processes that did not respond'),
  }),
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

export const tryModeration = operation('tryModeration', 'POST /admin/moderation/try', {
  tag: 'Moderation',
  summary: 'Test the MODERATE server with a text',
  description: 'Makes one call with the event `MESSAGE`. Nothing is sent or stored.',
  access: 'admin',
  scope: 'moderation:write',
  body: z.strictObject({
    text: z.string().min(1).max(2_000).describe('`message` of the call'),
    sender: userId.optional().describe('`clientID` of the call; `test` by default'),
    room: roomId.optional().describe('`roomID` of the call; `test` by default'),
  }),
  result: z.object({
    action: z
      .enum(['allow', 'mask', 'refuse', 'unanswered', 'none'])
      .describe('unanswered: no valid answer in time; none: no server is configured'),
    text: z.string().optional().describe('`text` of the answer'),
    durationMS: z.number().int().describe('Response time'),
  }),
  errors: ['MISSING_PARAMETER'],
  example: { body: { text: 'You are an idiot' }, result: { action: 'mask', text: 'You are an *****', durationMS: 41 } },
})
