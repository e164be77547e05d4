import { z } from 'zod'
import { madeId, naming } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { job } from '../../resources/job.ts'

export const getJob = operation({
  id: 'getJob',
  method: 'GET',
  path: '/admin/jobs/:id',
  tag: 'Jobs',
  summary: 'How far a batch or an erasure is that goes on in the background',
  description:
    'A job survives the gateway that began it: another one continues it, and no recipient gets a message twice. It is kept for 7 days after its end.',
  access: 'admin',
  scope: 'messages:read',
  form: 'envelope',
  params: z.object({ id: naming('job', madeId().describe('`job` of an answer with status 202')) }),
  query: z.object({
    skip: z.coerce.number().int().min(0).default(0).describe('Outcomes to pass over'),
    limit: z.coerce.number().int().min(1).max(500).default(100).describe('Outcomes at most'),
  }),
  result: job,
  errors: ['JOB_NOT_FOUND', 'INVALID_QUERY'],
  extension: true,
  example: {
    query: { limit: 100 },
    result: {
      _id: '66f0c1a2b3c4d5e6f7a8b9c0',
      kind: 'batch',
      state: 'running',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:06.000Z',
      progress: { done: 1, total: 1_000 },
      outcomes: { totalCount: 1, data: [{ error: { code: 'CLIENT_NOT_FOUND', message: 'members: no user "bob"' } }] },
    },
  },
})
