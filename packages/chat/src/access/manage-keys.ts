import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { addKey as operation } from '@parley/contracts/operations/access/keys'
import type { ApiKeyView } from '@parley/contracts/resources/api-key'
import type { KeyScope } from '@parley/contracts/scopes'
import type { Chat } from '../chat.ts'
import { addApiKey, KeyError, listApiKeys, revokeApiKey } from './api-keys.ts'
import type { AuthenticatedIntegrator } from './caller.ts'
import { isInside } from './key-addresses.ts'
import { expiryFrom } from './new-token.ts'

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
  return addApiKey(chat, app, added).catch(rethrow)
}

/** The keys of the app, oldest first. @param ended includes revoked and expired keys */
export async function listKeys({ db }: Pick<Chat, 'db'>, app: string, ended: boolean): Promise<{ data: ApiKeyView[] }> {
  return { data: await listApiKeys(db, app, ended).catch(rethrow) }
}

/** @throws ApiError API_KEY_NOT_FOUND */
export async function endKey(chat: Pick<Chat, 'db' | 'audit'>, app: string, id: string): Promise<ApiKeyView> {
  return revokeApiKey(chat, app, id, { byName: false }).catch(rethrow)
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

function rethrow(error: unknown): never {
  if (!(error instanceof KeyError)) throw error
  const codes = {
    'no app': 'INVALID_API_KEY',
    'name taken': 'CONFLICT',
    'too many': 'TOO_MANY_KEYS',
    'not found': 'API_KEY_NOT_FOUND',
    ambiguous: 'API_KEY_NOT_FOUND',
  } as const
  throw new ApiError(codes[error.reason], error.message)
}
