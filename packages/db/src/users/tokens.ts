import { clock } from '@parley/async/clock'
import { longestLoginDays } from '@parley/contracts/resources/token-issuer'
import type { IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { type AppUser, idsOf, key } from '../keys.ts'
import type { TokenDoc } from './documents.ts'

/** Minimum interval between recorded uses of a token. */
const useNotedEveryMS = 60 * 60 * 1_000
const expiredKeptMS = 30 * 24 * 60 * 60 * 1_000
/** Shorter for tokens of the app's own issuer, which can be replaced every few minutes. */
const expiredLoginKeptMS = 60 * 60 * 1_000
/** Longer than a token of an issuer can last. */
export const revocationKeptMS = (longestLoginDays + 1) * 86_400_000
/** `expiresAt` of revoked tokens whose documents stay. */
export const endedAt = new Date(0)

export const tokenIndexes: IndexDescription[] = [
  { key: { digest: 1 } },
  { key: { userKey: 1 } },
  { key: { forgetAt: 1 }, expireAfterSeconds: 0 },
]

export function newTokenDoc(
  { app, user }: AppUser,
  tokenDigest: string,
  expiresAt: Date,
  more: Pick<TokenDoc, 'device' | 'login' | 'signed'> = {},
): TokenDoc {
  const _id = key(app, tokenDigest)
  const createdAt = clock.date()
  const keptUntilMS = expiresAt.getTime() + (more.login ? expiredLoginKeptMS : expiredKeptMS)
  const isBound = more.signed !== undefined && !more.login
  const forgetAt = new Date(isBound ? Math.max(keptUntilMS, createdAt.getTime() + revocationKeptMS) : keptUntilMS)
  const times = { expiresAt, forgetAt, createdAt }
  return { _id, app, user, userKey: key(app, user), digest: tokenDigest, ...times, ...more }
}

/** The document to keep for a revoked token; undefined if it is deleted, since it cannot be presented again. */
export function endedToken(token: TokenDoc): TokenDoc | undefined {
  if (token.ended) return token
  return token.signed === undefined ? undefined : { ...token, expiresAt: endedAt, ended: true }
}

export async function findToken(db: Db, app: string, tokenDigest: string): Promise<TokenDoc | null> {
  return db.tokens.findOne({ _id: key(app, tokenDigest), expiresAt: { $gt: clock.date() } })
}

/** Records that a token was used, unless a use was recorded within the last hour. */
export async function recordTokenUse(db: Db, { _id, userKey, lastUsedAt }: TokenDoc): Promise<void> {
  const due = new Date(clock.now() - useNotedEveryMS)
  if (lastUsedAt && lastUsedAt > due) return
  // Matches `lastUsedAt` too: several gateways can have read the token concurrently.
  await db.tokens.updateOne(
    { _id, userKey, lastUsedAt: { $not: { $gt: due } } },
    { $set: { lastUsedAt: clock.date() } },
  )
}

/** Whether a token is known as expired or revoked, or was accepted from an app's own issuer, in any app. */
export async function wasAccepted(db: Db, tokenDigest: string): Promise<boolean> {
  const anyOf = [{ expiresAt: { $lte: clock.date() } }, { login: { $exists: true } }]
  return (await db.tokens.findOne({ digest: tokenDigest, $or: anyOf })) !== null
}

export async function findHolders(db: Db, digests: readonly string[]): Promise<TokenDoc[]> {
  return db.tokens.find({ digest: { $in: digests }, expiresAt: { $gt: clock.date() } }).toArray()
}

type ActiveToken = Pick<TokenDoc, '_id' | 'app' | 'user' | 'expiresAt' | 'login'>

/** The unexpired documents of these tokens. */
export async function findActiveTokens<T extends { app: string; user: string; tokenDigest: string }>(
  db: Db,
  tokens: readonly T[],
): Promise<[T, ActiveToken][]> {
  const idOf = ({ app, tokenDigest }: T) => key(app, tokenDigest)
  const found = await db.tokens
    .find({ _id: { $in: tokens.map(idOf) }, expiresAt: { $gt: clock.date() } })
    .project<ActiveToken>({ app: 1, user: 1, expiresAt: 1, login: 1 })
    .toArray()
  const active = new Map(found.map((token) => [token._id, token]))
  return tokens.flatMap((token): [T, ActiveToken][] => {
    const held = active.get(idOf(token))
    return held?.user === token.user ? [[token, held]] : []
  })
}

/** Makes a token the user's only one, and returns the digests of the revoked ones. */
export async function replaceTokens(
  db: Db,
  holder: AppUser,
  { digest, expiresAt, ...more }: Pick<TokenDoc, 'digest' | 'expiresAt' | 'signed'>,
  session: Session,
): Promise<{ ended: string[] } | 'held by another user'> {
  const { app, user } = holder
  const _id = key(app, digest)
  const userKey = key(app, user)
  const holding = await db.tokens.findOne({ _id }, { session })
  if (holding && holding.user !== user && holding.expiresAt > clock.date()) return 'held by another user'
  const before = await db.tokens.find({ userKey, _id: { $ne: _id } }, { session }).toArray()
  await endTokens(db, before, session)
  await db.tokens.replaceOne({ _id }, newTokenDoc(holder, digest, expiresAt, more), { session, upsert: true })
  return { ended: before.filter(({ ended }) => !ended).map((token) => token.digest) }
}

/** Revokes tokens that the same transaction has read: deletes their documents, or keeps them as ended. */
async function endTokens(db: Db, tokens: readonly TokenDoc[], session: Session): Promise<void> {
  const staying = tokens.filter((token) => endedToken(token) !== undefined)
  const going = tokens.filter((token) => !endedToken(token))
  if (going.length > 0) await db.tokens.deleteMany({ _id: { $in: idsOf(going) } }, { session })
  const fresh = staying.filter(({ ended }) => !ended)
  const revoked = { $set: { expiresAt: endedAt, ended: true } } as const
  if (fresh.length > 0) await db.tokens.updateMany({ _id: { $in: idsOf(fresh) } }, revoked, { session })
}

/**
 * The tokens of these users, `key(app, user)`: those not revoked, those with these IDs, `key(app, digest)`, and all forms
 * of those with these signed parts.
 */
export async function findTokensOf(
  db: Db,
  { users, ids, signed }: { users: readonly string[]; ids: readonly string[]; signed: readonly string[] },
  session: Session,
): Promise<TokenDoc[]> {
  const userKey = { $in: [...users] }
  const ofUsers = { userKey, ended: { $exists: false } }
  const others = [
    ...(ids.length > 0 ? [{ _id: { $in: [...ids] } }] : []),
    ...(signed.length > 0 ? [{ userKey, signed: { $in: [...signed] } }] : []),
  ]
  return db.tokens.find(others.length === 0 ? ofUsers : { $or: [ofUsers, ...others] }, { session }).toArray()
}

/** The tokens of a user, latest first, including expired but not revoked ones. */
export async function findTokensOfUser(db: Db, app: string, user: string, limit: number): Promise<TokenDoc[]> {
  return db.tokens
    .find({ userKey: key(app, user), ended: { $exists: false } })
    .sort({ createdAt: -1 })
    .limit(limit)
    .toArray()
}

/** The tokens of a user that are valid at `now`, latest first. */
export async function findActiveTokensOfUser(
  db: Db,
  { app, user }: AppUser,
  now: Date,
  limit: number,
): Promise<TokenDoc[]> {
  return db.tokens
    .find({ userKey: key(app, user), expiresAt: { $gt: now } })
    .sort({ createdAt: -1 })
    .limit(limit)
    .toArray()
}

export async function exchangeTokens(
  db: Db,
  { before, after }: { before: readonly string[]; after: readonly TokenDoc[] },
  session: Session,
): Promise<void> {
  if (before.length > 0) await db.tokens.deleteMany({ _id: { $in: [...before] } }, { session })
  if (after.length > 0) await db.tokens.insertMany([...after], { session })
}

/** Selects tokens of a user: all, one by digest, issuer's ID or fingerprint, or those of a device. */
export type WhichTokens = { digest: string } | { jti: string } | { device: string } | { fingerprint: string } | 'all'

/** Revokes tokens of a user. Returns their digests, and how many of them had not expired. */
export async function deleteTokens(
  db: Db,
  app: string,
  user: string,
  which: WhichTokens,
  session: Session,
): Promise<{ ended: string[]; active: number }> {
  const filter = { userKey: key(app, user), ended: { $exists: false }, ...filterOf(app, which) }
  const tokens = await db.tokens.find(filter, { session }).toArray()
  await endTokens(db, tokens, session)
  const now = clock.date()
  return {
    ended: tokens.map((token) => token.digest),
    active: tokens.filter(({ expiresAt }) => expiresAt > now).length,
  }
}

/** Deletes all tokens of an erased user, and returns the digests of those not revoked before. */
export async function forgetTokens(db: Db, app: string, user: string, session: Session): Promise<string[]> {
  const { ended } = await deleteTokens(db, app, user, 'all', session)
  await db.tokens.deleteMany({ userKey: key(app, user) }, { session })
  return ended
}

function filterOf(app: string, which: WhichTokens): object {
  if (which === 'all') return {}
  if ('digest' in which) return { _id: key(app, which.digest) }
  if ('jti' in which) return { 'login.jti': which.jti }
  if ('device' in which) return { device: which.device }
  return { digest: { $regex: `^${which.fingerprint}` } }
}

export async function putMark(db: Db, mark: TokenDoc, session: Session): Promise<void> {
  await db.tokens.replaceOne({ _id: mark._id }, mark, { session, upsert: true })
}

/** Replaces a token of the user, keeping its device; false if the user no longer has the token. */
export async function exchangeToken(
  db: Db,
  holder: AppUser,
  tokens: { before: string; after: string },
  expiresAt: Date,
  session: Session,
): Promise<boolean> {
  const { app, user } = holder
  const userKey = key(app, user)
  const before = await db.tokens.findOne(
    { _id: key(app, tokens.before), userKey, ended: { $exists: false } },
    { session },
  )
  if (!before) return false
  await endTokens(db, [before], session)
  const of = before.device === undefined ? {} : { device: before.device }
  await db.tokens.insertOne(newTokenDoc(holder, tokens.after, expiresAt, of), { session })
  return true
}
