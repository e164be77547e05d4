import { z } from 'zod'
import { userId } from '../../ids.ts'
import { auditsParam, operation } from '../../operation.ts'
import { acceptedJob, job } from '../../resources/job.ts'

export const exportUser = operation('exportUser', 'POST /admin/clients/:client_id/export', {
  tag: 'Data',
  summary: 'Export everything about a user',
  description:
    'Runs as a job (202). When it is done, GET /admin/jobs/{id} has the URL of a ZIP for a day, with: profile, devices, preferences, memberships with read positions, messages, bans and blocks in the format of `parley import`; reactions, token fingerprints, scheduled messages, reports and audit entries; and files.',
  access: 'admin',
  scope: 'export:write',
  audit: auditsParam('user', 'client_id'),
  params: z.object({ client_id: userId }),
  result: acceptedJob,
  accepted: acceptedJob,
  errors: ['CLIENT_NOT_FOUND'],
  example: { result: { job: '66f0c1a2b3c4d5e6f7a8b9c0' } },
})

export const exportMe = operation('exportMe', 'POST /me/export', {
  tag: 'Data',
  summary: "Export the caller's own data, once a day",
  description: 'Like exportUser, without the audit log and reports by others. GET /me/export has the URL.',
  access: 'client',
  result: acceptedJob,
  accepted: acceptedJob,
  errors: ['CLIENT_NOT_FOUND'],
  example: { result: { job: '66f0c1a2b3c4d5e6f7a8b9c0' } },
})

export const getMyExport = operation('getMyExport', 'GET /me/export', {
  tag: 'Data',
  summary: "Get the progress of the caller's latest export and, for a day after it ends, its URL",
  access: 'client',
  result: job,
  errors: ['INVALID_REQUEST', 'JOB_NOT_FOUND'],
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
