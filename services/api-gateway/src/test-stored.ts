import type { Db } from '@parley/db/connect'
import { takeFromBuckets } from '@parley/db/message-buckets/buckets'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { inTransaction } from '@parley/db/transactions/transaction'

/** Changes a flushed message in the database, behind Parley's back; returns whether it is there. */
export async function setStored(db: Db, id: string, set: Partial<MessageDoc>): Promise<boolean> {
  return inTransaction(db, async (session) => {
    const [message] = await findMessages(db, [id], { session })
    if (!message) return false
    if (await takeFromBuckets(db, [message], session)) await db.messages.insertOne(message, { session })
    await db.messages.updateOne({ _id: id }, { $set: set }, { session })
    return true
  })
}
