import type { Db } from '../db.ts'
import type { MessageDoc } from './documents.ts'

/**
 * The messages of a room or thread that a user has reacted to. Reacting moves a message to `messages`, so buckets are
 * not searched. Scans `seqsAtOnce` seqs per query.
 */
export async function findReactionsOf(
  db: Db,
  roomKey: string,
  client: string,
  seqsAtOnce: number,
): Promise<Pick<MessageDoc, '_id' | 'room' | 'reactions'>[]> {
  const last = await db.messages.findOne({ roomKey }, { sort: { seq: -1 }, projection: { seq: 1 } })
  const found: Pick<MessageDoc, '_id' | 'room' | 'reactions'>[] = []
  for (let after = 0; after < (last?.seq ?? 0); after += seqsAtOnce) {
    const some = { roomKey, seq: { $gt: after, $lte: after + seqsAtOnce }, 'reactions.client': client }
    const fields = { room: 1, reactions: 1 } as const
    found.push(...(await db.messages.find(some).hint({ roomKey: 1, seq: 1 }).project<MessageDoc>(fields).toArray()))
  }
  return found
}
