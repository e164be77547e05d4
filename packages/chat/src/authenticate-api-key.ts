import { ApiError } from '@parley/contracts/errors'
import { type ApiPermission, digest, findAppByApiKey } from '@parley/db/apps'
import type { Db } from '@parley/db/connect'
import { LRUCache } from 'lru-cache'

/** An integrator's server, known by its API key. */
export interface AdminCaller {
  app: string
  /** Digest of the key: names the key in rate limits. */
  keyDigest: string
  permissions: ApiPermission[]
}

/** A key that was taken back works for at most this long. */
const cacheMS = 5_000

/**
 * Makes the function that knows callers by their API key (interface.md, "Authentication" 1). Keys are
 * looked up by digest, which leaks nothing of a key through timing.
 * The function throws ApiError INVALID_API_KEY.
 */
export function createApiKeyAuthentication(db: Db): (apiKey: string | undefined) => Promise<AdminCaller> {
  const known = new LRUCache<string, AdminCaller>({ max: 10_000, ttl: cacheMS })
  return async (apiKey) => {
    if (apiKey === undefined || apiKey === '') throw new ApiError('INVALID_API_KEY', 'header IM-API-KEY is missing')
    const keyDigest = digest(apiKey)
    const cached = known.get(keyDigest)
    if (cached) return cached
    const found = await findAppByApiKey(db, apiKey)
    if (!found) throw new ApiError('INVALID_API_KEY', 'header IM-API-KEY holds no known API key')
    const caller = { app: found.app._id, keyDigest, permissions: found.key.permissions }
    known.set(keyDigest, caller)
    return caller
  }
}
