import { z } from 'zod'
import { isoTime, timeMS } from '../ids.ts'
import { ours } from '../ours.ts'
import { sentMessage } from './message.ts'

/** The outcome for one recipient of a batch: the message, or the reason that there is none. */
export const batchOutcome = z.union([
  z.strictObject({ result: sentMessage }),
  z.strictObject({ error: z.object({ code: z.string(), message: z.string() }) }),
])

export const jobKinds = ['batch', 'erasure', 'export'] as const
export const jobStates = ['running', 'done', 'failed'] as const

/** Work that took longer than a request may, and goes on without it. */
export const job = z
  .object({
    _id: z.string(),
    kind: z.enum(jobKinds),
    state: z
      .enum(jobStates)
      .describe('failed: a batch or an export given up after many tries; finished parts of a batch stay'),
    createdAt: isoTime,
    updatedAt: isoTime.describe('When it last got on'),
    finishedAt: isoTime.optional(),
    progress: z
      .object({ done: z.number().int(), total: z.number().int() })
      .describe('Recipients of a batch, rooms of the erased user, or lines of an export so far; `done` only grows'),
    outcomes: z
      .object({ totalCount: z.number().int().describe('Outcomes so far'), data: z.array(batchOutcome) })
      .optional()
      .describe('Of a batch: the outcome per recipient, in order, from `skip` on'),
    export: z
      .object({
        url: z.string().describe('Of the ZIP, signed'),
        urlExpiresAtMS: timeMS.describe('A day after its end: then the export is deleted'),
        size: z.number().int(),
      })
      .optional()
      .describe('Of a finished export'),
  })
  .meta({ id: 'Job', ...ours })
export type Job = z.infer<typeof job>

/** The result, with status 202, of an operation that continues as a job. */
export const acceptedJob = z.object({ job: z.string().describe('ID of the job: see GET /admin/jobs/{id}') })
