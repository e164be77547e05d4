import { ApiError } from '@parley/contracts/errors'
import { findAppByApiKey } from '@parley/db/apps/apps'
import { findLivingSession } from '@parley/db/operators/sessions'
import { LRUCache } from 'lru-cache'
import type { Chat } from '../chat.ts'
import { rememberApiKeyMS } from './authenticate-api-key.ts'
import type { AuthenticatedIntegrator } from './caller.ts'

/**
 * Returns a function that rechecks a caller's API key or session, for responses that stay open. Each is queried at most
 * once a second, however many responses share it. The function throws ApiError INVALID_API_KEY or INVALID_SESSION.
 */
export function createKeyCheck({ db }: Pick<Chat, 'db'>): (caller: AuthenticatedIntegrator) => Promise<void> {
  const found = new LRUCache<string, Promise<boolean>>({ max: 10_000, ttl: rememberApiKeyMS })
  const lookUp = (caller: AuthenticatedIntegrator): Promise<unknown> =>
    'operator' in caller ? findLivingSession(db, caller.session) : findAppByApiKey(db, caller.keyDigest)
  return async (caller) => {
    const digest = 'operator' in caller ? caller.session : caller.keyDigest
    const known = found.get(digest) ?? lookUp(caller).then(Boolean)
    if (!found.has(digest)) {
      found.set(digest, known)
      known.catch(() => found.delete(digest))
    }
    if (await known) return
    throw 'operator' in caller
      ? new ApiError('INVALID_SESSION')
      : new ApiError('INVALID_API_KEY', 'not a known API key')
  }
}
