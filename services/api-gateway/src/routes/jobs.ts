import type { Chat } from '@parley/chat/chat'
import { getJob } from '@parley/chat/jobs/get-job'
import { listJobs } from '@parley/chat/jobs/list-jobs'
import * as operations from '@parley/contracts/operations/integrations/jobs'
import type { Mount } from '../mount.ts'
import type { FilesHere } from './files.ts'

export function mountJobs(mount: Mount, chat: Chat, { store, publicUrl }: FilesHere): void {
  mount(operations.listJobs, ({ caller, query }) => listJobs(chat, caller.app, query))
  mount(operations.getJob, ({ caller, params, query, origin }) =>
    getJob(chat, caller, params.id, query, { store, base: publicUrl ?? origin() }),
  )
}
