import { clock } from '@parley/async/clock'
import type { ClientSession, IndexDescription } from 'mongodb'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'
import type { TokenDoc } from './documents.ts'

/** The use of a token is recorded at most this often. */
const useNotedEveryMS = 60 * 60 * 1_000
const expiredKeptMS = 30 * 24 * 60 * 60 * 1_000

export const tokenIndexes: IndexDescription[] = [
  { key: { digest: 1 } },
  { key: { userKey: 1 } },
  { key: { forgetAt: 1 }, expireAfterSeconds: 0 },
]

export function newTokenDoc(
  { app, user }: { app: string; user: string },
  tokenDigest: string,
  expiresAt: Date,
): TokenDoc {
  const _id = key(app, tokenDigest)
  const forgetAt = new Date(expiresAt.getTime() + expiredKeptMS)
  return { _id, app, user, userKey: key(app, user), digest: tokenDigest, expiresAt, forgetAt, createdAt: clock.date() }
}

/** The unexpired holder of a token in an app. */
export async function findToken(db: Db, app: string, tokenDigest: string): Promise<TokenDoc | null> {
  return db.tokens.findOne({ _id: key(app, tokenDigest), expiresAt: { $gt: clock.date() } })
}

/** Records that a token was used, unless that was recorded within the last hour. @param held as it was just read */
export async function noteTokenUse(db: Db, { _id, userKey, lastUsedAt }: TokenDoc): Promise<void> {
  const due = new Date(clock.now() - useNotedEveryMS)
  if (lastUsedAt && lastUsedAt > due) return
  // Several gateways can have read it concurrently.
  await db.tokens.updateOne(
    { _id, userKey, lastUsedAt: { $not: { $gt: due } } },
    { $set: { lastUsedAt: clock.date() } },
  )
}

/** Whether a token was valid until it expired, in any app. */
export async function hasExpired(db: Db, tokenDigest: string): Promise<boolean> {
  return (await db.tokens.findOne({ digest: tokenDigest, expiresAt: { $lte: clock.date() } })) !== null
}

/** The unexpired holders of tokens, of every app. */
export async function findHolders(db: Db, digests: readonly string[]): Promise<TokenDoc[]> {
  return db.tokens.find({ digest: { $in: digests }, expiresAt: { $gt: clock.date() } }).toArray()
}

/** Those of these tokens that are still valid, with their ends. */
export async function findLivingTokens<T extends { app: string; user: string; tokenDigest: string }>(
  db: Db,
  tokens: readonly T[],
): Promise<[T, Date][]> {
  const idOf = ({ app, tokenDigest }: T) => key(app, tokenDigest)
  const found = await db.tokens
    .find({ _id: { $in: tokens.map(idOf) }, expiresAt: { $gt: clock.date() } })
    .project<Pick<TokenDoc, '_id' | 'user' | 'expiresAt'>>({ user: 1, expiresAt: 1 })
    .toArray()
  const living = new Map(found.map((token) => [token._id, token]))
  return tokens.flatMap((token): [T, Date][] => {
    const held = living.get(idOf(token))
    return held?.user === token.user ? [[token, held.expiresAt]] : []
  })
}

/** Makes `tokenDigest` the only token of the user; returns the digests that ended. */
export async function replaceTokens(
  db: Db,
  holder: { app: string; user: string },
  tokenDigest: string,
  expiresAt: Date,
  session: ClientSession,
): Promise<{ ended: string[] } | 'held by another user'> {
  const { app, user } = holder
  const _id = key(app, tokenDigest)
  const userKey = key(app, user)
  const holding = await db.tokens.findOne({ _id }, { session })
  if (holding && holding.user !== user && holding.expiresAt > clock.date()) return 'held by another user'
  const before = await db.tokens.find({ userKey }, { session, projection: { digest: 1 } }).toArray()
  await db.tokens.deleteMany({ userKey, _id: { $ne: _id } }, { session })
  await db.tokens.replaceOne({ _id }, newTokenDoc(holder, tokenDigest, expiresAt), { session, upsert: true })
  return { ended: before.map((token) => token.digest).filter((ended) => ended !== tokenDigest) }
}

/** All tokens of these users, `key(app, user)`, and those of these IDs, `key(app, digest)`. */
export async function findTokensOf(
  db: Db,
  { users, ids }: { users: readonly string[]; ids: readonly string[] },
  session: ClientSession,
): Promise<TokenDoc[]> {
  const ofUsers = { userKey: { $in: [...users] } }
  const filter = ids.length === 0 ? ofUsers : { $or: [ofUsers, { _id: { $in: [...ids] } }] }
  return db.tokens.find(filter, { session }).toArray()
}

/** The tokens of a user, including known expired ones. */
export async function findTokensOfUser(db: Db, app: string, user: string, limit: number): Promise<TokenDoc[]> {
  return db.tokens
    .find({ userKey: key(app, user) })
    .limit(limit)
    .toArray()
}

/** Replaces tokens that were read in the same transaction. */
export async function exchangeTokens(
  db: Db,
  { before, after }: { before: readonly string[]; after: readonly TokenDoc[] },
  session: ClientSession,
): Promise<void> {
  if (before.length > 0) await db.tokens.deleteMany({ _id: { $in: [...before] } }, { session })
  if (after.length > 0) await db.tokens.insertMany([...after], { session })
}

/** Ends one token of the user, or all of them; returns the digests that ended, and how many of these were still valid. */
export async function deleteTokens(
  db: Db,
  app: string,
  user: string,
  tokenDigest?: string,
  session?: ClientSession,
): Promise<{ ended: string[]; living: number }> {
  const within = session && { session }
  const filter = { userKey: key(app, user), ...(tokenDigest !== undefined && { _id: key(app, tokenDigest) }) }
  const tokens = await db.tokens.find(filter, { projection: { digest: 1, expiresAt: 1 }, ...within }).toArray()
  const { deletedCount } = await db.tokens.deleteMany({ _id: { $in: tokens.map((token) => token._id) } }, within)
  if (deletedCount === 0) return { ended: [], living: 0 }
  const now = clock.date()
  return {
    ended: tokens.map((token) => token.digest),
    living: tokens.filter(({ expiresAt }) => expiresAt > now).length,
  }
}

/** Replaces a token of the user; false if the user no longer holds it. */
export async function exchangeToken(
  db: Db,
  holder: { app: string; user: string },
  tokens: { before: string; after: string },
  expiresAt: Date,
  session: ClientSession,
): Promise<boolean> {
  const { app, user } = holder
  const userKey = key(app, user)
  const { deletedCount } = await db.tokens.deleteOne({ _id: key(app, tokens.before), userKey }, { session })
  if (deletedCount === 0) return false
  await db.tokens.insertOne(newTokenDoc(holder, tokens.after, expiresAt), { session })
  return true
}
