import { ApiError } from '@parley/contracts/errors'
import { findAppByApiKey } from '@parley/db/apps/apps'
import { LRUCache } from 'lru-cache'
import type { Chat } from '../chat.ts'
import { rememberApiKeyMS } from './authenticate-api-key.ts'
import type { AuthenticatedIntegrator } from './caller.ts'

/**
 * Makes the function that looks again whether a caller's API key is in force, for responses that stay open; one query a
 * second for each key, however many wait with it. The function throws ApiError INVALID_API_KEY.
 */
export function createKeyCheck({
  db,
}: Pick<Chat, 'db'>): (caller: Pick<AuthenticatedIntegrator, 'app' | 'keyDigest'>) => Promise<void> {
  const found = new LRUCache<string, Promise<boolean>>({ max: 10_000, ttl: rememberApiKeyMS })
  const look = (keyDigest: string) => findAppByApiKey(db, keyDigest).then(Boolean)
  return async ({ keyDigest }) => {
    const known = found.get(keyDigest) ?? look(keyDigest)
    if (!found.has(keyDigest)) {
      found.set(keyDigest, known)
      known.catch(() => found.delete(keyDigest))
    }
    if (!(await known)) throw new ApiError('INVALID_API_KEY', 'not a known API key')
  }
}
