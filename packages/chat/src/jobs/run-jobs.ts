import type { JobDoc } from '@parley/db/documents'
import { leaseJob } from '@parley/db/jobs'
import type { FileStore } from '@parley/files/file-store'
import type { Chat } from '../chat.ts'
import { continueExport } from '../export/continue-export.ts'
import { continueBatch } from '../messages/run-batch.ts'
import { continueErasure } from '../users/continue-erasure.ts'
import { untilDone, type Worker } from './run-workers.ts'
import { workOnJob } from './work-on-job.ts'

/** Works on jobs that wait for a process, or whose worker stopped or died. Any number of processes may run this. */
export function runJobs(chat: Chat, store: FileStore): Worker {
  return {
    kinds: ['jobs'],
    onError: (error) => chat.log.warn({ err: error }, 'jobs not read; trying again'),
    work: untilDone(async () => !chat.jobs.isFull && (await takeNextJob(chat, store))),
  }
}

/** Claims a job without a worker. Returns whether there was one. */
export async function takeNextJob(chat: Chat, store?: FileStore): Promise<boolean> {
  const job = await leaseJob(chat.db, chat.jobs.worker)
  if (!job) return false
  chat.log.info({ job: job.id, kind: job.kind, app: job.app, done: job.done }, 'continuing a job')
  void workOnJob(chat, job, () => continueJob(chat, job, store))
  return true
}

async function continueJob(chat: Chat, job: JobDoc, store: FileStore | undefined): Promise<boolean> {
  if (job.kind === 'batch') return continueBatch(chat, job)
  if (job.kind === 'erasure') return continueErasure(chat, job)
  if (!store) throw new Error('an export needs the file store')
  return continueExport(chat, store, job)
}
