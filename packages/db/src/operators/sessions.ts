import { clock } from '@parley/async/clock'
import type { IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { idsOf } from '../keys.ts'
import type { OperatorDoc, OperatorSessionDoc } from './documents.ts'

export const operatorSessionIndexes: IndexDescription[] = [
  { key: { operator: 1, createdAt: -1 } },
  { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
]

/** Maximum number of sessions per operator; the oldest ones beyond it end. */
const maxSessions = 50

export async function insertSession(db: Db, doc: OperatorSessionDoc, session: Session): Promise<void> {
  await db.operatorSessions.insertOne(doc, { session })
  const { operator } = doc
  const beyond = await db.operatorSessions
    .find({ operator }, { session, projection: { _id: 1 } })
    .sort({ createdAt: -1 })
    .skip(maxSessions)
    .toArray()
  if (beyond.length === 0) return
  await db.operatorSessions.deleteMany({ _id: { $in: idsOf(beyond) } }, { session })
}

/** An active session and its operator; null if it has ended. */
export async function findActiveSession(
  db: Db,
  tokenDigest: string,
): Promise<{ session: OperatorSessionDoc; operator: OperatorDoc } | null> {
  const session = await db.operatorSessions.findOne({ _id: tokenDigest, expiresAt: { $gt: clock.date() } })
  if (!session) return null
  const { operator: _id, version } = session
  const operator = await db.operators.findOne({ _id, version })
  return operator && { session, operator }
}

/** Records the use of a session. Not journaled: if the write is lost, the session ends slightly earlier. */
export async function recordSessionUse(db: Db, id: string, lastSeenAt: Date, expiresAt: Date): Promise<void> {
  const used = { $max: { lastSeenAt, expiresAt } }
  await db.operatorSessions.updateOne({ _id: id }, used, { writeConcern: { w: 1, journal: false } })
}

export async function findSessions(
  db: Db,
  { _id, version }: Pick<OperatorDoc, '_id' | 'version'>,
): Promise<OperatorSessionDoc[]> {
  const active = { operator: _id, version, expiresAt: { $gt: clock.date() } }
  return db.operatorSessions.find(active).sort({ createdAt: -1 }).toArray()
}

export async function deleteSession(db: Db, id: string, session: Session): Promise<boolean> {
  return (await db.operatorSessions.deleteOne({ _id: id }, { session })).deletedCount === 1
}
