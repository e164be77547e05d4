import { z } from 'zod'
import { madeId, naming } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { nextCursor, pageCursor } from '../../page-cursor.ts'
import { type Job, job, jobKinds, jobStates } from '../../resources/job.ts'
import type { Scope } from '../../scopes.ts'
import { timeParameter } from '../../time-parameter.ts'

/** Scopes that may read a job of each kind: one that starts it, or one that reads what the job handles. */
const jobReaders: Record<Job['kind'], readonly Scope[]> = {
  batch: ['messages:read', 'messages:write'],
  erasure: ['users:read', 'users:write'],
  // The URL gives access to messages, reports and audit entries, so the scopes for each of them are not enough.
  export: ['export:write'],
}
const readersText = Object.entries(jobReaders)
  .map(([kind, scopes]) => `${scopes.map((scope) => `\`${scope}\``).join(' or ')} for \`${kind}\``)
  .join(', ')

const exampleJob = {
  _id: '66f0c1a2b3c4d5e6f7a8b9c0',
  kind: 'batch' as const,
  state: 'running' as const,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:06.000Z',
  progress: { done: 1, total: 1_000 },
}

export const listJobs = operation('listJobs', 'GET /admin/jobs', {
  tag: 'Jobs',
  summary: 'List background jobs, newest first',
  description: 'For outcomes, see `GET /admin/jobs/{id}`.',
  access: 'admin',
  scope: 'stats:read',
  query: z.object({
    id: madeId().optional().describe('Only this job'),
    state: z.enum(jobStates).optional(),
    kind: z.enum(jobKinds).optional(),
    since: timeParameter.optional().describe('Earliest start time'),
    until: timeParameter.optional().describe('Latest start time'),
    limit: z.coerce.number().int().min(1).max(100).default(50),
    cursor: pageCursor,
  }),
  result: z.object({
    data: z.array(job),
    cursor: nextCursor,
  }),
  errors: ['INVALID_QUERY'],
  example: { query: { state: 'running', limit: 50 }, result: { data: [exampleJob] } },
})

export const getJob = operation('getJob', 'GET /admin/jobs/:id', {
  tag: 'Jobs',
  summary: 'Get the progress and outcomes of a background job',
  description: `If a gateway dies, another one continues its jobs; no recipient gets a message twice. Jobs are kept for 7 days after they end. Scope by kind: ${readersText}.`,
  access: 'admin',
  scope: 'messages:read',
  scopesByKind: jobReaders,
  conversations: true,
  params: z.object({ id: naming('job', madeId().describe('`job` of a 202 response')) }),
  query: z.object({
    skip: z.coerce.number().int().min(0).default(0).describe('Outcomes to skip'),
    limit: z.coerce.number().int().min(1).max(500).default(100).describe('Maximum number of outcomes'),
  }),
  result: job,
  errors: ['JOB_NOT_FOUND', 'INVALID_QUERY'],
  example: {
    query: { limit: 100 },
    result: {
      ...exampleJob,
      outcomes: { totalCount: 1, data: [{ error: { code: 'CLIENT_NOT_FOUND', message: 'receiver: no user "bob"' } }] },
    },
  },
})
