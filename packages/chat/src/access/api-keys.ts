import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { clock } from '@parley/async/clock'
import { digest, insertApiKey, revokeApiKeyDoc } from '@parley/db/apps/apps'
import type { ApiKeyDoc } from '@parley/db/apps/documents'
import type { Db } from '@parley/db/connect'
import { rememberApiKeyMS } from './authenticate-api-key.ts'
import { KeyError, keysOf, type ListedApiKey, toListed } from './list-api-keys.ts'

/** A new random API key. */
export function newApiKey(): string {
  return `ak_${randomBytes(24).toString('base64url')}`
}

/**
 * Adds a key to an app, which every gateway accepts at once; returns the key, which cannot be read again.
 * @throws KeyError for an unknown app, or a name that an active key has
 */
export async function addApiKey(
  db: Db,
  app: string,
  name: string,
  permissions: ApiKeyDoc['permissions'],
): Promise<string> {
  const apiKey = newApiKey()
  const added = await insertApiKey(db, app, { digest: digest(apiKey), name, permissions, createdAt: clock.date() })
  if (added) return apiKey
  await keysOf(db, app)
  throw new KeyError(`app ${app} has a key named ${JSON.stringify(name)} already`)
}

/**
 * Revokes the active key of this name or ID. When this settles no gateway accepts it any more.
 * @throws KeyError when there is none, or several
 */
export async function revokeApiKey(db: Db, app: string, nameOrId: string): Promise<ListedApiKey> {
  const living = (await keysOf(db, app)).filter(({ revokedAt }) => !revokedAt)
  const matching = living.filter((key) => key.name === nameOrId || toListed(key).id === nameOrId)
  const [found, another] = matching
  if (another) throw new KeyError(`several keys are called ${JSON.stringify(nameOrId)}: give the ID`)
  if (!found || !(await revokeApiKeyDoc(db, app, found.digest))) {
    throw new KeyError(`app ${app} has no living key ${JSON.stringify(nameOrId)}`)
  }
  await pause(rememberApiKeyMS)
  return toListed(found)
}
