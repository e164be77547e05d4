import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import { getJob as operation } from '@parley/contracts/operations/integrations/jobs'
import { findJob } from '@parley/db/jobs'
import type { FileStore } from '@parley/files/file-store'
import type { AuthenticatedIntegrator } from '../access/caller.ts'
import { hasScope } from '../access/keys-of-key.ts'
import type { Chat } from '../chat.ts'
import { exportOf } from '../export/export-user.ts'
import { outcomesText } from '../messages/sending/run-batch.ts'
import { JsonText, listText } from '../views/json-text.ts'
import { toJobView } from './job-view.ts'

/**
 * The progress of a job and, for a batch, a page of its results (docs/reference/jobs.md).
 * @throws ApiError JOB_NOT_FOUND, PERMISSION_DENIED if the caller has no scope for jobs of this kind
 */
export async function getJob(
  chat: Chat,
  { app, key }: Pick<AuthenticatedIntegrator, 'app' | 'key'>,
  id: string,
  page: Input<typeof operation>['query'],
  files: { store: FileStore; base: string },
): Promise<JsonText> {
  const { db } = chat
  const found = await findJob(db, app, id, page)
  if (!found) throw new ApiError('JOB_NOT_FOUND', `id: no job ${JSON.stringify(id)}`)
  const { kind, outcomes = [], reached } = found
  const readers = operation.scopesByKind[kind]
  if (!readers.some((scope) => hasScope(key, scope))) {
    throw new ApiError('PERMISSION_DENIED', `id: a job of the kind ${kind} needs ${readers.join(' or ')}`)
  }
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
