import { batched } from '@parley/async/batch'
import type { Wake } from '@parley/async/wake'
import type { Db } from '@parley/db/connect'
import { type CallToQueue, queueCalls } from '@parley/db/push/outgoing-calls'

/** Queues a call to an integrator's server; settles when it is in the database. */
export type QueueCall = (call: CallToQueue) => Promise<void>

/** Concurrent calls share their round trips. */
export function createCallQueue(db: Db, wakeCalls: Wake['up']): QueueCall {
  const queue = batched(
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
