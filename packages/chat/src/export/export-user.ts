import { randomBytes } from 'node:crypto'
import { clock } from '@parley/async/clock'
import type { Job } from '@parley/contracts/resources/job'
import type { JobDoc } from '@parley/db/documents'
import { exportKeptMS, exportOwner } from '@parley/db/files/export-files'
import { findFile, insertFile } from '@parley/db/files/files'
import { insertJob } from '@parley/db/jobs'
import { key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import { inTransaction } from '@parley/db/transactions/transaction'
import { findUser } from '@parley/db/users/users'
import { contentHeaders } from '@parley/files/content-headers'
import type { FileStore } from '@parley/files/file-store'
import { unknownClient } from '../access/revoke-tokens.ts'
import type { Chat } from '../chat.ts'
import { contentUrl } from '../files/files.ts'
import { Accepted, workOnJob } from '../jobs/work-on-job.ts'
import { continueExport } from './continue-export.ts'

/** An export that is never finished goes then, with its pieces. */
const abandonedMS = 7 * exportKeptMS

/**
 * Begins the export of everything about a user (docs/reference/users.md#export-a-user), as a job.
 * @throws ApiError CLIENT_NOT_FOUND
 */
export async function exportUser(chat: Chat, store: FileStore, app: string, user: string): Promise<Accepted> {
  const { db, jobs } = chat
  const [id, file] = [newId(), newId()]
  const createdAtMS = clock.now()
  const job = await inTransaction(db, async (session) => {
    if (!(await findUser(db, app, user, session))) throw unknownClient(user)
    const about = { app, id, kind: 'export' as const, total: 0, done: 0, user, export: { file } }
    chat.audit?.note({ after: { job: id } })
    await chat.audit?.write(db, session)
    return insertJob(db, about, jobs.worker, session)
  })
  chat.audit?.committed()
  await insertFile(db, {
    ...{ _id: key(app, file), app, id: file, ownerKey: exportOwner(app, user), name: 'export.zip' },
    ...{ type: 'application/zip', size: 0, secret: randomBytes(32).toString('hex') },
    ...{ createdAtMS, lookAtMS: createdAtMS + abandonedMS },
  })
  void workOnJob(chat, job, () => continueExport(chat, store, job))
  return new Accepted({ job: id })
}

/** Where a finished export can be fetched for a day, and until when. */
export async function exportOf(
  { db }: Pick<Chat, 'db'>,
  { app, finishedAt, export: made }: Pick<JobDoc, 'app' | 'finishedAt' | 'export'>,
  { store, base }: { store: FileStore; base: string },
): Promise<Job['export']> {
  const file = made && finishedAt && (await findFile(db, app, made.file))
  if (!file || file.stored === undefined) return undefined
  const expiresAtMS = finishedAt.getTime() + exportKeptMS
  if (expiresAtMS <= clock.now()) return undefined
  const url = await contentUrl(
    store,
    { base, file, use: 'save', name: file.stored },
    contentHeaders(file, true),
    expiresAtMS,
  )
  return { url, urlExpiresAtMS: expiresAtMS, size: file.size }
}
