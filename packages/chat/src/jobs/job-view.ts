import type { Job } from '@parley/contracts/resources/job'
import type { ListedJob } from '@parley/db/jobs'

export function toJobView({ id, kind, state, createdAtMS, updatedAt, finishedAt, done, total }: ListedJob): Job {
  return {
    _id: id,
    ...{ kind, state, createdAt: new Date(createdAtMS).toISOString(), updatedAt: updatedAt.toISOString() },
    ...(finishedAt && { finishedAt: finishedAt.toISOString() }),
    progress: { done, total },
  }
}
