import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { getJob as operation } from '@parley/contracts/operations/integrations/jobs'
import { findJob } from '@parley/db/jobs'
import type { FileStore } from '@parley/files/file-store'
import type { Chat } from '../chat.ts'
import { exportOf } from '../export/export-user.ts'
import { outcomesText } from '../messages/sending/run-batch.ts'
import { JsonText, listText } from '../views/json-text.ts'
import { toJobView } from './job-view.ts'

/**
 * The progress of a job and, for a batch, a page of its results (docs/reference/jobs.md).
 * @throws ApiError JOB_NOT_FOUND
 */
export async function getJob(
  chat: Chat,
  app: string,
  id: string,
  page: Input<typeof operation>['query'],
  files: { store: FileStore; base: string },
): Promise<JsonText> {
  const { db } = chat
  const found = await findJob(db, app, id, page)
  if (!found) throw new ApiError('JOB_NOT_FOUND', `id: no job ${JSON.stringify(id)}`)
  const { kind, outcomes = [], reached } = found
  const made = await exportOf(chat, found, files)
  const text = JSON.stringify({ ...toJobView(found), ...(made && { export: made }) })
  if (kind !== 'batch') return new JsonText([text])

  async function* parts(): AsyncGenerator<string> {
    yield `${text.slice(0, -1)},"outcomes":{"totalCount":${reached},"data":`
    yield* listText(outcomesText(db, outcomes))
    yield '}}'
  }
  return new JsonText(parts())
}
