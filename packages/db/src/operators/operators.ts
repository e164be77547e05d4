import { clock } from '@parley/async/clock'
import type { Filter, IndexDescription, UpdateFilter } from 'mongodb'
import type { Db, Session } from '../db.ts'
import type { OperatorDoc } from './documents.ts'

export const operatorIndexes: IndexDescription[] = [
  { key: { email: 1 }, unique: true },
  { key: { 'roles.app': 1, email: 1 } },
  { key: { 'passkeys.id': 1 }, unique: true, partialFilterExpression: { 'passkeys.id': { $exists: true } } },
  { key: { 'link.digest': 1 }, unique: true, partialFilterExpression: { 'link.digest': { $exists: true } } },
  {
    key: { 'sso.subject': 1, 'sso.issuer': 1 },
    unique: true,
    partialFilterExpression: { 'sso.subject': { $exists: true } },
  },
]

export async function insertOperator(db: Db, operator: OperatorDoc, session: Session): Promise<void> {
  await db.operators.insertOne(operator, { session })
}

export async function findOperator(db: Db, id: string, session: Session): Promise<OperatorDoc | null> {
  return db.operators.findOne({ _id: id }, { session })
}

/** @param email in lower case */
export async function findOperatorByEmail(db: Db, email: string, session?: Session): Promise<OperatorDoc | null> {
  return db.operators.findOne({ email }, { ...(session && { session }) })
}

export async function findOperatorBySso(
  db: Db,
  issuer: string,
  subject: string,
  session: Session,
): Promise<OperatorDoc | null> {
  return db.operators.findOne({ 'sso.subject': subject, 'sso.issuer': issuer }, { session })
}

/** A page of operators, sorted by e-mail: all, or those with a role in any of these apps. */
export async function findOperators(
  db: Db,
  { apps, after, limit }: { apps?: readonly string[] | undefined; after: string; limit: number },
): Promise<OperatorDoc[]> {
  const filter = { email: { $gt: after }, ...(apps && { 'roles.app': { $in: [...apps] } }) }
  return db.operators.find(filter).sort({ email: 1 }).limit(limit).toArray()
}

/** Redeems an operator's single-use link; null if it is unknown, used or expired. */
export async function takeLink(db: Db, linkDigest: string, session: Session): Promise<OperatorDoc | null> {
  const active = { 'link.digest': linkDigest, 'link.expiresAt': { $gt: clock.date() } }
  return db.operators.findOneAndUpdate(active, { $unset: { link: 1 } }, { session, returnDocument: 'after' })
}

/** Accepts a TOTP code of a time step; false if a code of this step or a later one was already accepted. */
export async function takeTotpStep(db: Db, id: string, step: number): Promise<boolean> {
  const unused = { _id: id, 'totp.lastStep': { $lt: step } }
  return (await db.operators.updateOne(unused, { $set: { 'totp.lastStep': step } })).modifiedCount === 1
}

/** Consumes a recovery code; false if the operator has no code with this digest. */
export async function takeRecoveryCode(db: Db, id: string, codeDigest: string): Promise<boolean> {
  const held = { _id: id, 'totp.recovery': codeDigest }
  return (await db.operators.updateOne(held, { $pull: { 'totp.recovery': codeDigest } })).modifiedCount === 1
}

/**
 * Changes an operator and returns the result; null if `version` has changed since it was read.
 * @param endsSessions whether to end existing sessions
 */
export async function updateOperator(
  db: Db,
  { _id, version }: Pick<OperatorDoc, '_id' | 'version'>,
  change: UpdateFilter<OperatorDoc>,
  { session, endsSessions }: { session: Session; endsSessions: boolean },
): Promise<OperatorDoc | null> {
  const found: Filter<OperatorDoc> = { _id, version }
  const update = endsSessions ? { ...change, $inc: { version: 1 } } : change
  if (endsSessions) await db.operatorSessions.deleteMany({ operator: _id }, { session })
  return db.operators.findOneAndUpdate(found, update, { session, returnDocument: 'after' })
}

export async function deleteOperator(db: Db, id: string, session: Session): Promise<void> {
  await db.operatorSessions.deleteMany({ operator: id }, { session })
  await db.operators.deleteOne({ _id: id }, { session })
}

/**
 * Removes all operators' roles in an app, and ends the sessions of those operators. Returns the number of operators.
 */
export async function removeRolesIn(db: Db, app: string): Promise<number> {
  const change = { $pull: { roles: { app } }, $inc: { version: 1 } }
  return (await db.operators.updateMany({ 'roles.app': app }, change)).modifiedCount
}
