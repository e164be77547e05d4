import type { ApiKeyView } from '@parley/contracts/resources/api-key'
import { findApp, isInForce } from '@parley/db/apps/apps'
import type { ApiKeyDoc } from '@parley/db/apps/documents'
import type { Db } from '@parley/db/connect'

/** Why a key was not added or revoked, as a sentence for operators. */
export class KeyError extends Error {
  override name = 'KeyError'
  readonly reason: 'no app' | 'name taken' | 'too many' | 'not found' | 'ambiguous'

  constructor(reason: KeyError['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

const idLength = 12

/**
 * The keys of an app, oldest first, without the secrets.
 * @param ended includes revoked and expired keys
 * @throws KeyError for an unknown app
 */
export async function listApiKeys(db: Db, app: string, ended: boolean): Promise<ApiKeyView[]> {
  return (await keysOf(db, app)).filter((key) => ended || isInForce(key)).map(toKeyView)
}

export async function keysOf(db: Db, app: string): Promise<ApiKeyDoc[]> {
  const found = await findApp(db, app)
  if (!found) throw new KeyError('no app', `there is no app ${JSON.stringify(app)}`)
  return found.apiKeys
}

/** Fingerprint that identifies a key in lists and in the audit log. */
export function keyFingerprint(digest: string): string {
  return digest.slice(0, idLength)
}

/** A key in a list. */
export function toKeyView(key: ApiKeyDoc): ApiKeyView {
  const { digest, name = '', permissions, scopes = ['all'], addresses, ratePerMinute } = key
  const { createdAt, lastUsedAt, expiresAt, revokedAt } = key
  return {
    id: keyFingerprint(digest),
    name,
    scopes: [...scopes, ...permissions],
    createdAt: createdAt.toISOString(),
    ...(lastUsedAt && { lastUsedAt: lastUsedAt.toISOString() }),
    ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
    ...(addresses && { addresses }),
    ...(ratePerMinute !== undefined && { ratePerMinute }),
    ...(revokedAt && { revokedAt: revokedAt.toISOString() }),
  }
}
