import { findApp, signingSecrets } from '@parley/db/apps/apps'
import type { Db } from '@parley/db/connect'
import { LRUCache } from 'lru-cache'

/** A changed secret takes effect after this time, or when a server rejects the signature. */
const cachedMS = 10_000

/** The secrets that sign an app's calls, cached. */
export function createSigningSecrets(db: Db) {
  const cached = new LRUCache<string, string[]>({ max: 1_000, ttl: cachedMS })
  return {
    /** Empty if there is no such app. */
    async of(app: string) {
      const known = cached.get(app)
      if (known) return known
      const doc = await findApp(db, app)
      const secrets = doc ? signingSecrets(doc) : []
      cached.set(app, secrets)
      return secrets
    },
    forget: (app: string) => void cached.delete(app),
  }
}
