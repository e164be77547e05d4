import { inParts } from '@parley/async/in-parts'
import type { Document } from 'mongodb'
import type { Db } from '../connect.ts'
import { key } from '../keys.ts'
import type { MessageDoc } from '../messages/messages.ts'
import { currentMarkerIn } from '../rooms/memberships.ts'
import type { RoomDoc } from '../rooms/rooms.ts'
import { runWrites } from '../transactions/run-writes.ts'

/** The senders in a tail: with every message of theirs from its first on. */
export interface TailSenders {
  room: Pick<RoomDoc, 'app' | 'id' | 'deletedUpToSeq'>
  messages: readonly Pick<MessageDoc, 'seq' | 'sender'>[]
}

/**
 * Step 2 of settling (settle-tails.ts): brings the senders' `uncounted` up to date. A membership takes a message only past
 * its `settledSeq`, so all that a sender has in the tail before the last one given must be given too.
 */
export async function countSettled(db: Db, tails: readonly TailSenders[]): Promise<void> {
  const statements = countStatements(tails)
  if (statements.length > 0) await runWrites(db, 'update', db.memberships.collectionName, statements, 'durable')
}

/** A membership, and the seqs of what it has sent, in their order. */
type Sent = [membership: string, seqs: number[]]

interface UpdateStatement {
  q: { _id: { $in: string[] } }
  u: Document[]
  multi: true
}

/** One statement for many memberships costs mongod half of what one for each does; but it looks its seqs up one by one. */
const mostCounted = 200

export function countStatements(tails: readonly TailSenders[]): UpdateStatement[] {
  const byDeletion = Map.groupBy(tails, ({ room }) => room.deletedUpToSeq ?? 0)
  return [...byDeletion].flatMap(([deletedUpToSeq, own]) =>
    inParts(own.flatMap(sentIn), mostCounted).map((part) => countStatement(deletedUpToSeq, part)),
  )
}

function sentIn({ room, messages }: TailSenders): Sent[] {
  const bySender = Map.groupBy(messages, ({ sender }) => sender)
  return [...bySender].map(([sender, own]) => [key(room.app, room.id, sender), own.map(({ seq }) => seq)])
}

/** Finds the memberships by nothing but their _id: planning a query with more conditions costs mongod as much as the update. */
function countStatement(deletedUpToSeq: number, sent: readonly Sent[]): UpdateStatement {
  const marker = deletedUpToSeq > 0 ? currentMarkerIn(deletedUpToSeq) : { readSeq: '$readSeq', uncounted: '$uncounted' }
  const memberships = sent.map(([membership]) => membership)
  const place = { $indexOfArray: [{ $literal: memberships }, '$_id'] }
  const seqs = { $arrayElemAt: [{ $literal: sent.map(([, own]) => own) }, place] }
  const countedUpTo = { $max: [marker.readSeq, '$settledSeq'] }
  const isNew = { $gt: ['$$this', '$$countedUpTo'] }
  const more = { $let: { vars: { countedUpTo }, in: { $size: { $filter: { input: seqs, cond: isNew } } } } }
  const uncounted = { $add: [marker.uncounted, more] }
  const settledSeq = { $max: ['$settledSeq', { $max: seqs }] }
  return {
    q: { _id: { $in: memberships } },
    u: [{ $set: { readSeq: marker.readSeq, uncounted, settledSeq } }],
    multi: true,
  }
}
