import { findApp } from '@parley/db/apps/apps'
import type { ApiKeyDoc } from '@parley/db/apps/documents'
import type { Db } from '@parley/db/connect'

/** An API key as operators see it: never the key itself. */
export interface ListedApiKey {
  /** The beginning of its digest, which identifies a key without a name. */
  id: string
  name: string
  permissions: readonly string[]
  createdAt: Date
  lastUsedAt: Date | undefined
  revokedAt: Date | undefined
}

/** Why an operator's command cannot be carried out, as a sentence for them. */
export class KeyError extends Error {
  override name = 'KeyError'
}

const idLength = 12

/** The keys of an app, revoked ones too, the oldest first. @throws KeyError for an unknown app */
export async function listApiKeys(db: Db, app: string): Promise<ListedApiKey[]> {
  return (await keysOf(db, app)).map(toListed)
}

export async function keysOf(db: Db, app: string): Promise<ApiKeyDoc[]> {
  const found = await findApp(db, app)
  if (!found) throw new KeyError(`there is no app ${JSON.stringify(app)}`)
  return found.apiKeys
}

export function toListed({
  digest: whole,
  name = '',
  permissions,
  createdAt,
  lastUsedAt,
  revokedAt,
}: ApiKeyDoc): ListedApiKey {
  return { id: whole.slice(0, idLength), name, permissions, createdAt, lastUsedAt, revokedAt }
}
