import type { Db } from '@parley/db/connect'
import { type CallToQueue, queueCalls } from '@parley/db/outgoing-calls'
import { gatherWrites } from '@parley/db/write-batch'
import type { Wake } from './wake.ts'

/** Queues a call to an integrator's server; settles when it is in the database. */
export type QueueCall = (call: CallToQueue) => Promise<void>

/** Calls that are queued at the same time share their round trips. */
export function createCallQueue(db: Db, wakeCalls: Wake['up']): QueueCall {
  const queue = gatherWrites(
    async (calls: CallToQueue[]) => {
      await queueCalls(db, calls)
      return calls
    },
    { most: 100 },
  )
  return async (call) => {
    await queue(call)
    wakeCalls()
  }
}
