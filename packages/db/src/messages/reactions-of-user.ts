import type { IndexDescription } from 'mongodb'
import type { Db } from '../db.ts'
import type { AppUser } from '../keys.ts'
import type { MessageDoc } from './documents.ts'

const byReaction = { app: 1, 'reactions.client': 1, _id: 1 } as const
export const reactionIndexes: IndexDescription[] = [
  { key: byReaction, partialFilterExpression: { 'reactions.client': { $exists: true } } },
]

type Reacted = Pick<MessageDoc, '_id' | 'room' | 'createdAtMS' | 'reactions'>

/** A page of the messages that a user has reacted to, by ID. They are never in buckets: reacting moves them. */
export async function findReactedBy(
  db: Db,
  { app, user }: AppUser,
  { after, limit }: { after: string; limit: number },
): Promise<Reacted[]> {
  return db.messages
    .find({ app, 'reactions.client': user, _id: { $gt: after } })
    .hint(byReaction)
    .sort({ _id: 1 })
    .limit(limit)
    .project<Reacted>({ room: 1, createdAtMS: 1, reactions: 1 })
    .toArray()
}
