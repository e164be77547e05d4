import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { clock } from '@parley/async/clock'
import { defined } from '@parley/contracts/defined'
import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { addKey as operation } from '@parley/contracts/operations/access/keys'
import type { ApiKeyView } from '@parley/contracts/resources/api-key'
import { isOwnScope, type KeyScope } from '@parley/contracts/scopes'
import { digest, dropApiKeys, findApp, insertApiKey, isInForce, revokeApiKeyDoc } from '@parley/db/apps/apps'
import type { ApiKeyDoc } from '@parley/db/apps/documents'
import type { Db, Session } from '@parley/db/connect'
import { inTransaction } from '@parley/db/transactions/transaction'
import type { Chat } from '../chat.ts'
import { rememberApiKeyMS } from './authenticate-api-key.ts'
import type { AuthenticatedIntegrator } from './caller.ts'
import { isInside } from './key-addresses.ts'
import { expiryFrom, keyFingerprint } from './new-token.ts'

/** Bounds the app document, which holds the keys. */
const maxInForce = 200
const maxEnded = 500

export interface NewKey {
  name: string
  scopes: readonly KeyScope[]
  expiresAt?: Date | undefined
  addresses?: string[] | undefined
  ratePerMinute?: number | undefined
}

/** The parts of Chat needed to change keys. Commands have no others. */
export type Audited = Pick<Chat, 'db' | 'audit'>

export function newApiKey(): string {
  return `ak_${randomBytes(24).toString('base64url')}`
}

/**
 * Adds a key to an app; every gateway accepts it at once. Returns the key itself, which cannot be read again.
 * @throws ApiError INVALID_API_KEY for an unknown app, CONFLICT, TOO_MANY_KEYS
 */
export async function addApiKey(
  { db, audit }: Audited,
  app: string,
  added: NewKey,
): Promise<ApiKeyView & { apiKey: string }> {
  const apiKey = newApiKey()
  const doc = { digest: digest(apiKey), ...rightsOf(added), createdAt: clock.date() }
  const shown = toKeyView(doc)
  const add = async (session: Session) => {
    const keys = await keysOf(db, app, session)
    const ended = keys.filter((key) => !isInForce(key))
    if (keys.length - ended.length >= maxInForce) {
      throw new ApiError('TOO_MANY_KEYS', `app ${app} has ${maxInForce} active keys: revoke one first`)
    }
    const surplus = ended.slice(0, -maxEnded).map((key) => key.digest)
    await dropApiKeys(db, app, surplus, session)
    const inserted = await insertApiKey(db, app, doc, session)
    audit?.addDetails({ subject: { kind: 'key', id: shown.id }, after: shown })
    if (inserted) await audit?.write(db, session)
    return inserted
  }
  const isAdded = await inTransaction(db, add, { lock: `API keys of ${app}` })
  if (isAdded) return { ...shown, apiKey }
  throw new ApiError('CONFLICT', `app ${app} has a key named ${JSON.stringify(added.name)} already`)
}

function rightsOf({ scopes, name, expiresAt, addresses, ratePerMinute }: NewKey) {
  const own = [...new Set(scopes)].filter(isOwnScope)
  return {
    name,
    permissions: scopes.includes('platform') ? ['platform' as const] : [],
    ...(!scopes.includes('all') && { scopes: own }),
    ...defined({ expiresAt, addresses, ratePerMinute }),
  }
}

/**
 * Revokes the active key with this ID or, with `byName`, with this name or ID. Once this settles, no gateway accepts
 * the key.
 * @throws ApiError API_KEY_NOT_FOUND if no key or several keys match
 */
export async function revokeApiKey(
  { db, audit }: Audited,
  app: string,
  nameOrId: string,
  { byName }: { byName: boolean },
): Promise<ApiKeyView> {
  const active = (await keysOf(db, app)).filter(isInForce)
  const isMeant = (key: ApiKeyDoc) => keyFingerprint(key.digest) === nameOrId || (byName && key.name === nameOrId)
  const matching = active.filter(isMeant)
  const [found, another] = matching
  if (another)
    throw new ApiError('API_KEY_NOT_FOUND', `several keys are called ${JSON.stringify(nameOrId)}: give the ID`)
  const isRevoked = found && (await revokeIn({ db, ...(audit && { audit }) }, app, found))
  if (!isRevoked) {
    throw new ApiError('API_KEY_NOT_FOUND', `app ${app} has no active key ${JSON.stringify(nameOrId)}`)
  }
  await pause(rememberApiKeyMS)
  return toKeyView({ ...found, revokedAt: clock.date() })
}

function revokeIn({ db, audit }: Audited, app: string, key: ApiKeyDoc): Promise<boolean> {
  return inTransaction(db, async (session) => {
    const isRevoked = await revokeApiKeyDoc(db, app, key.digest, session)
    const { id, name, scopes } = toKeyView(key)
    audit?.addDetails({ subject: { kind: 'key', id }, before: { name, scopes } })
    if (isRevoked) await audit?.write(db, session)
    return isRevoked
  })
}

/**
 * The keys of an app, oldest first, without the secrets.
 * @param ended includes revoked and expired keys
 * @throws ApiError INVALID_API_KEY for an unknown app
 */
export async function listApiKeys({ db }: Pick<Audited, 'db'>, app: string, ended: boolean): Promise<ApiKeyView[]> {
  return (await keysOf(db, app)).filter((key) => ended || isInForce(key)).map(toKeyView)
}

async function keysOf(db: Db, app: string, session?: Session): Promise<ApiKeyDoc[]> {
  const found = await findApp(db, app, session)
  if (!found) throw new ApiError('INVALID_API_KEY', `there is no app ${JSON.stringify(app)}`)
  return found.apiKeys
}

function toKeyView(key: ApiKeyDoc): ApiKeyView {
  const { digest, name = '', permissions, scopes = ['all'], addresses, ratePerMinute } = key
  const { createdAt, lastUsedAt, expiresAt, revokedAt } = key
  return {
    id: keyFingerprint(digest),
    name,
    scopes: [...scopes, ...permissions],
    createdAt: createdAt.toISOString(),
    ...defined({ lastUsedAt: lastUsedAt?.toISOString(), expiresAt: expiresAt?.toISOString() }),
    ...defined({ addresses, ratePerMinute, revokedAt: revokedAt?.toISOString() }),
  }
}

type Wanted = Input<typeof operation>['body']
type CallingKey = Pick<AuthenticatedIntegrator, 'key'>

export function hasScope({ scopes, permissions }: AuthenticatedIntegrator['key'], scope: KeyScope): boolean {
  if (scope === 'platform') return permissions.includes('platform')
  return scopes === undefined || (scope !== 'all' && scopes.includes(scope))
}

/**
 * Adds a key on behalf of another key, which can grant no more than it has (docs/reference/keys.md).
 * @throws ApiError PERMISSION_DENIED naming the right that the calling key lacks; CONFLICT, TOO_MANY_KEYS,
 * INVALID_REQUEST
 */
export async function addKey(
  chat: Pick<Chat, 'db' | 'audit' | 'settings'>,
  caller: AuthenticatedIntegrator,
  wanted: Wanted,
): Promise<ApiKeyView & { apiKey: string }> {
  const { app, key } = caller
  const added = {
    name: wanted.name,
    scopes: scopesOf(key, wanted.scopes),
    expiresAt: endOf(key, wanted),
    addresses: networksOf(key, wanted),
    ratePerMinute: rateOf(caller, wanted, chat.settings.ratePerApiKey),
  }
  return addApiKey(chat, app, added)
}

function scopesOf(key: CallingKey['key'], wanted: readonly KeyScope[] = key.scopes ?? ['all']): readonly KeyScope[] {
  const lacking = wanted.filter((scope) => !hasScope(key, scope))
  if (lacking.length > 0) {
    throw new ApiError('PERMISSION_DENIED', `scopes: the caller lacks ${lacking.join(', ')}`)
  }
  return wanted
}

function endOf(key: CallingKey['key'], wanted: Wanted): Date | undefined {
  if (wanted.expiresAt === undefined) return key.expiresAt
  const end = expiryFrom('expiresAt', wanted.expiresAt)
  if (key.expiresAt && end > key.expiresAt) {
    throw new ApiError('PERMISSION_DENIED', 'expiresAt: later than that of the caller')
  }
  return end
}

function networksOf({ addresses: own }: CallingKey['key'], { addresses = own }: Wanted) {
  const outside = own && addresses?.find((network) => !isInside(network, own))
  if (outside !== undefined) {
    throw new ApiError('PERMISSION_DENIED', `addresses: ${outside} is outside the networks of the caller`)
  }
  return addresses
}

/** @param perApiKey the rate of keys without their own; 0 is no limit. It does not bind operators */
function rateOf(caller: AuthenticatedIntegrator, wanted: Wanted, perApiKey: number): number | undefined {
  const { ratePerMinute: own } = caller.key
  const { ratePerMinute = own } = wanted
  const max = own ?? ('operator' in caller ? 0 : perApiKey)
  if (max > 0 && ratePerMinute !== undefined && ratePerMinute > max) {
    throw new ApiError('PERMISSION_DENIED', 'ratePerMinute: above that of the caller')
  }
  return ratePerMinute
}
