import { randomBytes } from 'node:crypto'
import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { Job } from '@parley/contracts/resources/job'
import type { Session } from '@parley/db/connect'
import type { JobDoc } from '@parley/db/documents'
import type { FileDoc } from '@parley/db/files/documents'
import { exportKeptMS, exportOwner } from '@parley/db/files/export-files'
import { findFile, insertFile } from '@parley/db/files/files'
import { findJob, findListedJob, insertJob } from '@parley/db/jobs'
import { type AppUser, key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import { inTransaction } from '@parley/db/transactions/transaction'
import { lockUser } from '@parley/db/users/lock-user'
import { findUser, setExported } from '@parley/db/users/users'
import { contentHeaders } from '@parley/files/content-headers'
import type { FileStore } from '@parley/files/file-store'
import type { UserCaller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { contentUrl } from '../files/files.ts'
import { toJobView } from '../jobs/job-view.ts'
import { Accepted, workOnJob } from '../jobs/work-on-job.ts'
import { unknownUser } from '../users/user-errors.ts'
import { continueExport } from './continue-export.ts'

/** An unfinished export is deleted after this long, with its pieces. */
const abandonedMS = 7 * exportKeptMS

/** Begins an export of a user as a job (docs/reference/users.md#export-a-user). @throws ApiError CLIENT_NOT_FOUND */
export async function exportUser(chat: Chat, store: FileStore, app: string, user: string): Promise<Accepted> {
  return begin(chat, store, { app, user }, async (session) => {
    if (!(await findUser(chat.db, app, user, session))) throw unknownUser('client_id', user)
  })
}

/**
 * Begins the export of the caller's own data.
 * @throws ApiError CLIENT_NOT_FOUND, TOO_MANY_REQUESTS until a day after the last one, unless that failed
 */
export async function exportMe(chat: Chat, store: FileStore, { app, user }: UserCaller): Promise<Accepted> {
  const everyMS = chat.settings.exportEveryMS
  return begin(
    chat,
    store,
    { app, user },
    async (session, job) => {
      const found = await lockUser(chat.db, app, user, session)
      if (!found) throw unknownUser('client_id', user)
      const retryAfterMS = Math.ceil((found.exported?.atMS ?? 0) + everyMS - clock.now())
      const last = found.exported && (await findListedJob(chat.db, app, found.exported.job))
      if (retryAfterMS > 0 && last?.state !== 'failed') {
        throw new ApiError('TOO_MANY_REQUESTS', 'the last export is too recent', { details: { retryAfterMS } })
      }
      await setExported(chat.db, { app, id: user }, { job, atMS: clock.now() }, session)
    },
    true,
  )
}

/** The caller's latest export. @throws ApiError JOB_NOT_FOUND */
export async function myExport(
  chat: Chat,
  { app, user }: UserCaller,
  files: { store: FileStore; base: string },
): Promise<Job> {
  const id = (await findUser(chat.db, app, user))?.exported?.job
  const job = id === undefined ? null : await findJob(chat.db, app, id, { skip: 0, limit: 1 })
  if (!job) throw new ApiError('JOB_NOT_FOUND', 'no recent export: POST /me/export begins one')
  const made = await exportOf(chat, job, files)
  return { ...toJobView(job), ...(made && { export: made }) }
}

/** @param first runs first in the transaction that creates the job */
async function begin(
  chat: Chat,
  store: FileStore,
  { app, user }: AppUser,
  first: (session: Session, job: string) => Promise<void>,
  own = false,
): Promise<Accepted> {
  const { db, jobs } = chat
  const [id, file] = [newId(), newId()]
  const createdAtMS = clock.now()
  // Many requests at once must not mean as many exports in memory: the others wait for a process.
  const isWaiting = jobs.isFull
  const job = await inTransaction(db, async (session) => {
    await first(session, id)
    const made = { file, ...(own && { own: true as const }) }
    chat.audit?.addDetails({ after: { job: id } })
    await chat.audit?.write(db, session)
    const doc: FileDoc = {
      ...{ _id: key(app, file), app, id: file, ownerKey: exportOwner(app, user), name: 'export.zip' },
      ...{ type: 'application/zip', size: 0, secret: randomBytes(32).toString('hex') },
      ...{ createdAtMS, checkAtMS: createdAtMS + abandonedMS },
    }
    await insertFile(db, doc, session)
    const inserted = { app, id, kind: 'export', total: 0, done: 0, user, export: made } as const
    return insertJob(db, inserted, jobs.worker, isWaiting ? { session, leaseMS: 0 } : { session })
  })
  chat.audit?.committed()
  if (!isWaiting) void workOnJob(chat, job, () => continueExport(chat, store, job))
  return new Accepted({ job: id })
}

/** URL of a finished export and its expiry; undefined once a day has passed. */
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
