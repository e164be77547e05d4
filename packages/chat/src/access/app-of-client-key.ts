import { findAppByClientKey } from '@parley/db/apps/apps'
import type { Db } from '@parley/db/connect'
import { LRUCache } from 'lru-cache'

/** Finds the app of a client key, and caches it for a minute. */
export function createAppLookup(db: Db): (clientKey: string) => Promise<string | undefined> {
  const apps = new LRUCache<string, string>({ max: 10_000, ttl: 60_000 })
  return async (clientKey) => {
    const known = apps.get(clientKey)
    if (known !== undefined) return known
    const app = await findAppByClientKey(db, clientKey)
    if (app) apps.set(clientKey, app._id)
    return app?._id
  }
}
