import { z } from 'zod'
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
