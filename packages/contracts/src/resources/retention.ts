import { z } from 'zod'

/** Configuration key of message retention. */
export const retentionKey = 'retention'

const maxDays = 36_500
export const retentionDays = z.number().int().min(0).max(maxDays)

const days = z.number().int().min(1).max(maxDays)

/** Days until messages are removed (docs/reference/retention.md). A room's own `retentionDays` takes precedence. */
export const retention = z.strictObject({
  days: days.optional().describe('For all rooms'),
  direct: days.optional().describe('For direct rooms, instead of `days`'),
  group: days.optional().describe('For groups, instead of `days`'),
})
export type Retention = z.infer<typeof retention>
