import { z } from 'zod'
import { operation } from '../operation.ts'

export const getBadge = operation({
  id: 'getBadge',
  method: 'GET',
  path: '/me/badge',
  tag: 'Unread counts',
  summary: 'Total unread across the rooms of the caller',
  access: 'client',
  form: 'envelope',
  result: z.object({ badge: z.number().int() }),
  errors: [],
  example: { result: { badge: 3 } },
})
