import { z } from 'zod'
import { userId } from '../../ids.ts'
import { auditsParam, operation } from '../../operation.ts'
import { acceptedJob, job } from '../../resources/job.ts'

export const exportUser = operation({
  id: 'exportUser',
  method: 'POST',
  path: '/admin/clients/:client_id/export',
  tag: 'Data',
  summary: 'Export everything about a user',
  description:
    'Goes on as a job, with status 202. GET /admin/jobs/{id} then has the address of a ZIP for a day: the profile, devices, preferences, memberships with read positions, messages, bans and blocks as lines that `parley import` reads; reactions, tokens by their fingerprints, scheduled messages, reports and audit entries; and the files.',
  access: 'admin',
  scope: 'export:write',
  audit: auditsParam('user', 'client_id'),
  form: 'envelope',
  params: z.object({ client_id: userId }),
  result: acceptedJob,
  accepted: acceptedJob,
  errors: ['CLIENT_NOT_FOUND'],
  extension: true,
  example: { result: { job: '66f0c1a2b3c4d5e6f7a8b9c0' } },
})

export const exportMe = operation({
  id: 'exportMe',
  method: 'POST',
  path: '/me/export',
  tag: 'Data',
  summary: "Export the caller's own data, once a day",
  description: 'As exportUser, without the audit log and reports by others. GET /me/export then has the address.',
  access: 'client',
  form: 'envelope',
  result: acceptedJob,
  accepted: acceptedJob,
  errors: ['CLIENT_NOT_FOUND'],
  extension: true,
  example: { result: { job: '66f0c1a2b3c4d5e6f7a8b9c0' } },
})

export const getMyExport = operation({
  id: 'getMyExport',
  method: 'GET',
  path: '/me/export',
  tag: 'Data',
  summary: "How far the caller's latest export is; of a finished one the address, for a day",
  access: 'client',
  form: 'envelope',
  result: job,
  errors: ['INVALID_REQUEST', 'JOB_NOT_FOUND'],
  extension: true,
  example: {
    result: {
      _id: '66f0c1a2b3c4d5e6f7a8b9c0',
      kind: 'export',
      state: 'running',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:06.000Z',
      progress: { done: 1_000, total: 0 },
    },
  },
})
