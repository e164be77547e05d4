import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import { getJob as getOperation, type listJobs as listOperation } from '@parley/contracts/operations/integrations/jobs'
import { findJob, findJobs, findListedJob, type ListedJob } from '@parley/db/jobs'
import { key } from '@parley/db/keys'
import type { FileStore } from '@parley/files/file-store'
import { hasScope } from '../access/api-keys.ts'
import type { AuthenticatedIntegrator } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { exportOf } from '../export/export-user.ts'
import { outcomesText } from '../messages/run-batch.ts'
import { anyText, parseCursor, positionByCreation, toPage } from '../page-cursor.ts'
import { type Period, parsePeriod } from '../read-time.ts'
import { JsonText, listText } from '../views/json-text.ts'
import { toJobView } from './job-view.ts'

type Query = Input<typeof listOperation>['query']

/** GET /admin/jobs: a page of the app's jobs, latest first (docs/reference/jobs.md). @throws ApiError INVALID_QUERY */
export async function listJobs(
  { db }: Pick<Chat, 'db'>,
  app: string,
  { id, state, kind, since, until, limit, cursor }: Query,
): Promise<Result<typeof listOperation>> {
  const position = parseCursor('jobs', cursor, anyText)
  const period = parsePeriod({ since, until })
  if (id !== undefined) {
    if (cursor !== undefined) throw new ApiError('INVALID_QUERY', 'cursor: not with id')
    const found = await findListedJob(db, app, id)
    return { data: found && isListed(found, { state, kind, ...period }) ? [toJobView(found)] : [] }
  }
  const before = position && { atMS: position.atMS, id: key(app, position.id) }
  const oneMore = await findJobs(db, app, { state, kind, ...period, before, limit: limit + 1 })
  return toPage('jobs', oneMore, limit, { view: toJobView, positionOf: positionByCreation })
}

function isListed(
  job: ListedJob,
  { state = job.state, kind = job.kind, sinceMS, untilMS }: Pick<Query, 'state' | 'kind'> & Period,
): boolean {
  return job.state === state && job.kind === kind && sinceMS <= job.createdAtMS && job.createdAtMS <= untilMS
}

/**
 * The progress of a job and, for a batch, a page of its results (docs/reference/jobs.md).
 * @throws ApiError JOB_NOT_FOUND, PERMISSION_DENIED if the caller has no scope for jobs of this kind
 */
export async function getJob(
  chat: Chat,
  { app, key: apiKey }: Pick<AuthenticatedIntegrator, 'app' | 'key'>,
  id: string,
  page: Input<typeof getOperation>['query'],
  files: { store: FileStore; base: string },
): Promise<JsonText> {
  const { db } = chat
  const found = await findJob(db, app, id, page)
  if (!found) throw new ApiError('JOB_NOT_FOUND', `id: no job ${JSON.stringify(id)}`)
  const { kind, outcomes = [], reached } = found
  const readers = getOperation.scopesByKind[kind]
  if (!readers.some((scope) => hasScope(apiKey, scope))) {
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
