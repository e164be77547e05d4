import { clock } from '@parley/async/clock'
import { defined } from '@parley/contracts/defined'
import { ApiError } from '@parley/contracts/errors'
import { maxTokensOfUser } from '@parley/contracts/resources/user-token'
import { insertAuditEntries } from '@parley/db/audit/audit-log'
import type { AuditDoc } from '@parley/db/audit/documents'
import type { Db, Session } from '@parley/db/connect'
import { findErasures } from '@parley/db/jobs'
import { type AppUser, key } from '@parley/db/keys'
import { inTransaction } from '@parley/db/transactions/transaction'
import { banInForce } from '@parley/db/users/app-bans'
import type { TokenDoc, UserDoc } from '@parley/db/users/documents'
import { lockUsers } from '@parley/db/users/lock-user'
import { markKey } from '@parley/db/users/login-marks'
import { endedToken, exchangeTokens, findTokensOf, newTokenDoc } from '@parley/db/users/tokens'
import { findUsersByKey, insertUsers, newUserDoc, type Profile, updateProfiles } from '@parley/db/users/users'
import { tokensInAudit } from '../audit/recorder.ts'
import { type PendingEvents, profileSaved, tokensRevoked } from '../events/event-builders.ts'
import { userOrderingKey } from '../events/ordering-keys.ts'
import { type ChangeEntries, noEntries, type Outbox } from '../events/outbox.ts'
import { bannedFromApp, takenByGroup, takenWhileErasing } from './user-errors.ts'

export interface UserToWrite {
  app: string
  id: string
  profile: Partial<Profile>
  token?: TokenToWrite
  /** With a profile and a token, requires a new user. */
  isCreation: boolean
  /** The audit entry, if a key writes them. */
  audit?: AuditDoc | undefined
}

/** Revokes the user's other tokens, unless it is for a device or comes from the app's own login. */
interface TokenToWrite extends Pick<TokenDoc, 'digest' | 'expiresAt' | 'device' | 'login' | 'signed'> {}

export interface WrittenUser {
  user: UserDoc
  created: boolean
  /** Digests of the revoked tokens, whose sockets are still open. */
  ended: readonly string[]
  entries: ChangeEntries
}

interface State {
  users: Map<string, UserDoc>
  tokens: Map<string, TokenDoc[]>
  holders: Map<string, TokenDoc>
  erasures: ReadonlyMap<string, string>
  created: Set<string>
  changed: Set<string>
  /** Users whose existing tokens stay. Writing them makes a concurrent ban, erasure or revocation conflict. */
  taken: Set<string>
}

/**
 * Writes users for concurrent requests in one transaction (for the modes of POST /admin/clients, see
 * docs/reference/users.md). One outcome per user, in order; a refused one leaves no trace.
 */
export async function writeUsers(
  { db, outbox }: { db: Db; outbox: Outbox },
  wanted: readonly UserToWrite[],
): Promise<(WrittenUser | { refused: ApiError })[]> {
  return inTransaction(db, async (session) => {
    const { state, before } = await read(db, wanted, session)
    const orderingKeys = new Map<string, PendingEvents>()
    const outcomes = wanted.map((one) => {
      const known = state.users.get(key(one.app, one.id))
      const outcome = write(state, one)
      if ('refused' in outcome) return outcome
      const before = known && { ...rightsBefore(known, one.profile), ...(one.token && tokensInAudit(outcome.ended)) }
      const audit = one.audit && { ...one.audit, ...(before && { before: JSON.stringify(before) }) }
      const of = { app: one.app, user: one.id }
      const events = orderingKeys.get(userOrderingKey(of)) ?? []
      tokensRevoked(events, of, outcome.ended)
      orderingKeys.set(userOrderingKey(of), events)
      return { ...outcome, audit, orderingKey: userOrderingKey(of) }
    })
    for (const user of [...state.created, ...state.changed]) {
      addProfileEvents(orderingKeys, state.users.get(user) as UserDoc, state.changed.has(user))
    }
    await store(db, state, before, session)
    const changes = [...orderingKeys].map(([orderingKey, events]) => ({ orderingKey, events }))
    const audits = outcomes.flatMap((outcome) => ('refused' in outcome ? [] : (outcome.audit ?? [])))
    await insertAuditEntries(db, audits, session)
    const entries = await outbox.add(changes, session)
    const byKey = new Map(changes.map(({ orderingKey }, i) => [orderingKey, entries[i]]))
    return outcomes.map((outcome) => {
      if ('refused' in outcome) return outcome
      const { user, created, ended, orderingKey } = outcome
      const own = byKey.get(orderingKey) ?? noEntries
      return { user: state.users.get(user) as UserDoc, created, ended, entries: own }
    })
  })
}

/** The previous values of changed rights. Other fields are personal and not copied. */
export function rightsBefore(known: UserDoc, { isAdmin, isRobot }: Partial<Profile>): object {
  return {
    ...(isAdmin !== undefined && { isAdmin: known.isAdmin }),
    ...(isRobot !== undefined && { isRobot: known.isRobot }),
  }
}

/** Adds the event of a profile, once for all changes of the transaction. @param isKnown whether it can be cached */
function addProfileEvents(orderingKeys: Map<string, PendingEvents>, user: UserDoc, isKnown: boolean): void {
  const orderingKey = userOrderingKey({ app: user.app, user: user.id })
  const events = orderingKeys.get(orderingKey) ?? []
  profileSaved(events, user, isKnown)
  orderingKeys.set(orderingKey, events)
}

async function read(
  db: Db,
  wanted: readonly UserToWrite[],
  session: Session,
): Promise<{ state: State; before: readonly TokenDoc[] }> {
  const keys = wanted.map(({ app, id }) => key(app, id))
  const users = await findUsersByKey(db, keys, session)
  const withToken = wanted.flatMap(({ app, id, token }) =>
    token ? [{ user: key(app, id), ids: [key(app, token.digest), ...marksOf({ app, user: id }, token)] }] : [],
  )
  const before =
    withToken.length === 0
      ? []
      : await findTokensOf(
          db,
          {
            users: withToken.map(({ user }) => user),
            ids: withToken.flatMap(({ ids }) => ids),
            signed: wanted.flatMap(({ token }) => (token?.login && token.signed) ?? []),
          },
          session,
        )
  const unknown = wanted.map(({ app, id }) => key(app, id)).filter((user) => !users.has(user))
  const erasures = await findErasures(db, unknown, session)
  const state = {
    users,
    tokens: Map.groupBy(before, ({ userKey }) => userKey),
    holders: new Map(before.map((token) => [token._id, token])),
    ...{ erasures, created: new Set<string>(), changed: new Set<string>(), taken: new Set<string>() },
  }
  return { state, before }
}

/** Applies one change to the state. Returns the key of the user and the digests of revoked tokens. */
function write(
  state: State,
  { app, id, profile, token, isCreation }: UserToWrite,
): { user: string; created: boolean; ended: string[] } | { refused: ApiError } {
  const user = key(app, id)
  const existing = state.users.get(user)
  const erasure = state.erasures.get(user)
  const hasProfile = Object.keys(profile).length > 0
  if (existing?.groupMembers) return { refused: takenByGroup('_id', id) }
  if (!existing && !token) return refuse('CLIENT_NOT_FOUND', `_id: no user ${JSON.stringify(id)}`)
  if (!existing && erasure !== undefined) return { refused: takenWhileErasing('_id', id, erasure) }
  if (existing && token && isCreation && hasProfile) {
    return refuse('USER_EXISTS', `_id: a user ${JSON.stringify(id)} exists`)
  }
  if (existing && token && banInForce(existing)) return { refused: bannedFromApp(id) }
  const loginRefusal = token && refusedLogin(state, { app, user: id }, token)
  if (loginRefusal) return { refused: loginRefusal }
  const holder = token && state.holders.get(key(app, token.digest))
  if (holder && holder.userKey !== user) {
    if (holder.expiresAt > clock.date()) {
      return refuse('INVALID_REQUEST', 'token: another user of the app holds this token')
    }
    forgetExpired(state, holder)
  }
  if (!existing) state.created.add(user)
  else if (hasProfile && !state.created.has(user)) state.changed.add(user)
  else if (token && (!state.tokens.has(user) || token.login || token.device !== undefined)) state.taken.add(user)
  state.users.set(user, existing ? changedBy(existing, profile) : newUserDoc(app, id, profile))
  return { user, created: !existing, ended: token ? giveToken(state, { app, id }, token) : [] }
}

export function changedBy(user: UserDoc, profile: Partial<Profile>): UserDoc {
  if (Object.keys(profile).length === 0) return user
  return { ...user, ...profile, updatedAt: clock.date(), revision: user.revision + 1 }
}

function forgetExpired({ tokens, holders }: State, expired: TokenDoc): void {
  holders.delete(expired._id)
  const others = tokens.get(expired.userKey)?.filter(({ _id }) => _id !== expired._id)
  tokens.set(expired.userKey, others ?? [])
}

/** Keys of the marks that would refuse a token of the app's own login. */
function marksOf(of: AppUser, { login, device }: TokenToWrite): string[] {
  if (!login) return []
  return [
    markKey(of, 'all'),
    ...(login.jti === undefined ? [] : [markKey(of, { jti: login.jti })]),
    ...(device === undefined ? [] : [markKey(of, { device })]),
  ]
}

/** The refusal of a token of the app's own login that is signed by its issuer but was revoked, or is in use in another form. */
function refusedLogin({ tokens, holders }: State, of: AppUser, token: TokenToWrite) {
  const { login, device, signed } = token
  if (!login) return undefined
  const forms = tokens.get(key(of.app, of.user))?.filter((held) => held.signed === signed) ?? []
  const isEnded = (since: Date | undefined) => since !== undefined && login.issuedAt <= since
  const refused =
    forms.some(({ ended, digest }) => ended || digest !== token.digest) ||
    isEnded(holders.get(markKey(of, 'all'))?.createdAt) ||
    (login.jti !== undefined && holders.has(markKey(of, { jti: login.jti }))) ||
    (device !== undefined && isEnded(holders.get(markKey(of, { device }))?.createdAt))
  return refused ? new ApiError('INVALID_TOKEN', 'the token was revoked') : undefined
}

/** Gives a user a token. Returns the digests of those revoked. */
function giveToken(state: State, { app, id }: { app: string; id: string }, token: TokenToWrite): string[] {
  const { digest, expiresAt, device, login, signed } = token
  const userKey = key(app, id)
  const before = (state.tokens.get(userKey) ?? []).filter((held) => held.digest !== digest)
  const given = newTokenDoc({ app, user: id }, digest, expiresAt, defined({ device, login, signed }))
  const ending = new Set(endingTokens(before, token))
  for (const { _id } of ending) state.holders.delete(_id)
  const kept = before.flatMap((held) => (ending.has(held) ? (endedToken(held) ?? []) : [held]))
  for (const held of kept) state.holders.set(held._id, held)
  state.tokens.set(userKey, [...kept, given])
  state.holders.set(given._id, given)
  return [...ending].filter(({ ended }) => !ended).map((held) => held.digest)
}

/** The tokens that a new one revokes: all; with a device, that of the device; beyond the limit, the oldest. */
function endingTokens(before: readonly TokenDoc[], { device, login }: TokenToWrite): TokenDoc[] {
  if (device === undefined && !login) return before.filter(({ ended }) => !ended)
  const now = clock.date()
  const active = before.filter(({ expiresAt }) => expiresAt > now)
  const ofDevice = login ? [] : active.filter((held) => held.device === device && !held.login)
  const rest = active.filter((held) => !ofDevice.includes(held))
  const oldestFirst = rest.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
  return [...ofDevice, ...oldestFirst.slice(0, Math.max(0, rest.length + 1 - maxTokensOfUser))]
}

async function store(db: Db, state: State, before: readonly TokenDoc[], session: Session): Promise<void> {
  const of = (keys: Iterable<string>) => [...keys].map((user) => state.users.get(user) as UserDoc)
  await insertUsers(db, of(state.created), session)
  await updateProfiles(db, of(state.changed), session)
  await lockUsers(db, [...state.taken], session)
  const stays = new Set(before.filter((token) => state.holders.get(token._id) === token))
  const after = [...state.holders.values()].filter((token) => !stays.has(token))
  const gone = before.filter((token) => !stays.has(token)).map(({ _id }) => _id)
  await exchangeTokens(db, { before: gone, after }, session)
}

function refuse(code: ApiError['code'], message: string): { refused: ApiError } {
  return { refused: new ApiError(code, message) }
}
