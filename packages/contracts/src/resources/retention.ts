import { z } from 'zod'

/** The key of the configuration of how long messages are kept. */
export const retentionKey = 'retention'

const mostDays = 36_500
export const retentionDays = z.number().int().min(0).max(mostDays)

const days = z.number().int().min(1).max(mostDays)

/** Days after which messages go (docs/reference/retention.md); rooms with their own `retentionDays` follow that. */
export const retention = z.strictObject({
  days: days.optional().describe('In every room'),
  direct: days.optional().describe('In direct rooms, in place of `days`'),
  group: days.optional().describe('In groups, in place of `days`'),
})
export type Retention = z.infer<typeof retention>
