import { z } from 'zod'
import { userId } from '../../ids.ts'
import { auditsParam, operation } from '../../operation.ts'
import { acceptedJob } from '../../resources/job.ts'

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
