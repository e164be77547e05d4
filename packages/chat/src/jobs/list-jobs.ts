import type { Input, Result } from '@parley/contracts/operation'
import type { listJobs as operation } from '@parley/contracts/operations/integrations/jobs'
import { findJobs, findListedJob } from '@parley/db/jobs'
import { key } from '@parley/db/keys'
import type { Chat } from '../chat.ts'
import { parseCursor, placeByCreation, toPage } from '../page-cursor.ts'
import { parsePeriod } from '../read-time.ts'
import { toJobView } from './job-view.ts'

/** GET /admin/jobs: a page of the app's jobs, latest first (docs/reference/jobs.md). @throws ApiError INVALID_QUERY */
export async function listJobs(
  { db }: Pick<Chat, 'db'>,
  app: string,
  { id, state, kind, since, until, limit, cursor }: Input<typeof operation>['query'],
): Promise<Result<typeof operation>> {
  const place = parseCursor(cursor, /^[^]+$/)
  const period = parsePeriod({ since, until })
  if (id !== undefined) {
    const found = await findListedJob(db, app, id)
    return { data: found ? [toJobView(found)] : [] }
  }
  const before = place && { atMS: place.atMS, id: key(app, place.id) }
  const oneMore = await findJobs(db, app, { state, kind, ...period, before, limit: limit + 1 })
  return toPage(oneMore, limit, { view: toJobView, placeOf: placeByCreation })
}
