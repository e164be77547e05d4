import { z } from 'zod'

/** Paging of a list that is returned whole by default. */
export const optionalPage = z.object({
  skip: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(500).optional().describe('All by default'),
})
export type OptionalPage = z.output<typeof optionalPage>
