import { clock } from '@parley/async/clock'
import type { IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import type { OperatorDoc, PasskeyDoc } from './documents.ts'

export const passkeyChallengeIndexes: IndexDescription[] = [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }]

const challengeMS = 300_000

/** @param operator the operator adding a passkey; undefined for a sign-in */
export async function insertChallenge(db: Db, digest: string, operator: string | undefined): Promise<void> {
  const expiresAt = new Date(clock.now() + challengeMS)
  await db.passkeyChallenges.insertOne({ _id: digest, ...(operator !== undefined && { operator }), expiresAt })
}

/** Consumes a challenge; false if it is unknown, used, expired or for another operator or purpose. */
export async function takeChallenge(db: Db, digest: string, operator: string | undefined): Promise<boolean> {
  const given = { _id: digest, operator: operator ?? { $exists: false }, expiresAt: { $gt: clock.date() } }
  return (await db.passkeyChallenges.deleteOne(given)).deletedCount === 1
}

export async function findOperatorByPasskey(db: Db, id: string): Promise<OperatorDoc | null> {
  return db.operators.findOne({ 'passkeys.id': id })
}

/** Records a use; false if the passkey was removed, or used meanwhile. */
export async function recordPasskeyUse(
  db: Db,
  operator: string,
  { id, counter }: Pick<PasskeyDoc, 'id' | 'counter'>,
  newCounter: number,
  session: Session,
): Promise<boolean> {
  const unchanged = { _id: operator, passkeys: { $elemMatch: { id, counter } } }
  const used = { $set: { 'passkeys.$.counter': newCounter, 'passkeys.$.lastUsedAt': clock.date() } }
  return (await db.operators.updateOne(unchanged, used, { session })).matchedCount === 1
}
