import { z } from 'zod'
import { isoTime, timeMS } from '../ids.ts'
import { ours } from '../ours.ts'
import { sentMessage } from './message.ts'

/** The outcome for one recipient of a batch: the sent message or an error. */
export const batchOutcome = z.union([
  z.strictObject({ result: sentMessage }),
  z.strictObject({ error: z.object({ code: z.string(), message: z.string() }) }),
])

export const jobKinds = ['batch', 'erasure', 'export'] as const
export const jobStates = ['running', 'done', 'failed'] as const

/** Background work that outlasted its request. */
export const job = z
  .object({
    _id: z.string(),
    kind: z.enum(jobKinds),
    state: z
      .enum(jobStates)
      .describe('`failed`: batches and exports given up after many attempts; finished parts of a batch remain'),
    createdAt: isoTime,
    updatedAt: isoTime.describe('Last progress'),
    finishedAt: isoTime.optional(),
    progress: z
      .object({ done: z.number().int(), total: z.number().int() })
      .describe('Recipients of a batch, rooms of an erased user, or lines of an export so far; `done` never decreases'),
    outcomes: z
      .object({ totalCount: z.number().int().describe('Outcomes so far'), data: z.array(batchOutcome) })
      .optional()
      .describe('Batches only: outcome per recipient, in order, from `skip` on'),
    export: z
      .object({
        url: z.string().describe('Signed URL of the ZIP'),
        urlExpiresAtMS: timeMS.describe('A day after the job ended, when the export is deleted'),
        size: z.number().int(),
      })
      .optional()
      .describe('Finished exports only'),
  })
  .meta({ id: 'Job', ...ours })
export type Job = z.infer<typeof job>

/** The result, with status 202, of an operation that continues as a job. */
export const acceptedJob = z.object({ job: z.string().describe('Job ID: see GET /admin/jobs/{id}') })
