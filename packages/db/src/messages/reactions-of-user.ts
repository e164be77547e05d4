import type { Db } from '../db.ts'
import type { MessageDoc } from './documents.ts'

/** A user's reactions to messages. */
export interface ReactionsPage {
  messages: Pick<MessageDoc, '_id' | 'room' | 'reactions'>[]
  /** The seq to continue after. */
  upToSeq: number
}

/** Range of seqs per query. */
const seqsAtOnce = 10_000

/**
 * Pages through the messages of a room or thread that a user has reacted to, after a seq, with only the user's
 * reactions. Reacting moves a message to `messages`, so buckets are not searched.
 */
export async function* pageReactionsOf(
  db: Db,
  roomKey: string,
  client: string,
  afterSeq: number,
): AsyncGenerator<ReactionsPage> {
  const last = await db.messages.findOne({ roomKey }, { sort: { seq: -1 }, projection: { seq: 1 } })
  const reactions = { $filter: { input: '$reactions', cond: { $eq: ['$$this.client', { $literal: client }] } } }
  for (let after = afterSeq; after < (last?.seq ?? 0); after += seqsAtOnce) {
    const upToSeq = after + seqsAtOnce
    const messages = await db.messages
      .find({ roomKey, seq: { $gt: after, $lte: upToSeq }, 'reactions.client': client })
      .hint({ roomKey: 1, seq: 1 })
      .project<ReactionsPage['messages'][number]>({ room: 1, reactions })
      .toArray()
    yield { messages, upToSeq }
  }
}
