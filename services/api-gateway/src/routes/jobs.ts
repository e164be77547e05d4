import type { Chat } from '@parley/chat/chat'
import { getJob, listJobs } from '@parley/chat/jobs/read-jobs'
import * as operations from '@parley/contracts/operations/integrations/jobs'
import type { Mount } from '../mount.ts'
import type { FilesHere } from './files.ts'

export function mountJobs(mount: Mount, chat: Chat, { store, publicUrl }: FilesHere): void {
  mount(operations.listJobs, ({ caller, query }) => listJobs(chat, caller.app, query))
  mount(operations.getJob, ({ caller, params, query, origin }) =>
    getJob(chat, caller, params.id, query, { store, base: publicUrl ?? origin() }),
  )
}
