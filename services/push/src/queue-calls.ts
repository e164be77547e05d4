import type { Db } from '@parley/db/connect'
import { gather } from '@parley/db/gather'
import { type CallToQueue, queueCalls } from '@parley/db/outgoing-calls'
import type { Wake } from './wake.ts'

/** Queues a call to an integrator's server; settles when it is in the database. */
export type QueueCall = (call: CallToQueue) => Promise<void>

/** Calls that are queued at the same time share their round trips. */
export function createCallQueue(db: Db, wakeCalls: Wake['up']): QueueCall {
  const queue = gather(
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
