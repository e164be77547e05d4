import { clock } from '@parley/async/clock'
import type { Bus } from '@parley/bus/connect'
import { watchRevocations } from '@parley/bus/control/revocations'
import type { NodeCommand } from '@parley/contracts/bus/control'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import type { TokenDoc } from '@parley/db/users/documents'
import { findToken, noteTokenUse } from '@parley/db/users/tokens'
import { LRUCache } from 'lru-cache'
import type { Log } from '../ports.ts'

/** A cached token is trusted for this long. */
const cacheTokenMS = 2_000
/**
 * Processes that cannot notify the gateways of a revocation wait this long. It exceeds the cache's lifetime, since
 * timers run on a coarser clock.
 */
export const tokenCacheExpiredAfterMS = cacheTokenMS + 500
const mostTokens = 50_000

/** Finds the unexpired holder of a token. */
export type FindToken = (app: string, tokenDigest: string) => Promise<TokenDoc | null>

export interface TokenCache {
  find: FindToken
  stop(): void
}

interface Cached {
  held: TokenDoc
  /** When the query began. */
  askedAtMS: number
}

/** A query in flight, which a revocation can make stale. */
interface Look {
  isStale: boolean
}

/**
 * Caches token holders while revocations are certain to arrive: every gateway confirms a revocation before it is
 * acknowledged. A token in use is refreshed in the background.
 * @param gateway unique name of this gateway
 */
export function createTokenCache({ db, log }: { db: Db; log: Log }, bus: Bus, gateway: string): TokenCache {
  const cache = new LRUCache<string, Cached>({ max: mostTokens, ttl: cacheTokenMS })
  const looks = new Map<string, Set<Look>>()
  const revocations = watchRevocations(bus, gateway, forget, (error) =>
    log.warn({ err: error }, 'gateway not announced: tokens are not cached meanwhile'),
  )

  function forget(app: string, command: NodeCommand): void {
    if (command.do === 'appDeleted') {
      cache.clear()
      for (const name of looks.keys()) overtake(name)
    }
    if (command.do !== 'revoked') return
    for (const tokenDigest of command.tokens) {
      cache.delete(key(app, tokenDigest))
      overtake(key(app, tokenDigest))
    }
  }

  function overtake(name: string): void {
    for (const look of looks.get(name) ?? []) look.isStale = true
  }

  async function lookUp(app: string, tokenDigest: string): Promise<TokenDoc | null> {
    const name = key(app, tokenDigest)
    const look = { isStale: false }
    const [sinceMS, askedAtMS] = [revocations.heardSinceMS(), performance.now()]
    looks.set(name, (looks.get(name) ?? new Set()).add(look))
    try {
      const held = await findToken(db, app, tokenDigest)
      if (held) noteUse(held)
      const isCertain = sinceMS !== undefined && sinceMS === revocations.heardSinceMS() && !look.isStale
      if (!held) cache.delete(name)
      else if (isCertain) cache.set(name, { held, askedAtMS }, { start: askedAtMS })
      return held
    } finally {
      const left = looks.get(name)
      left?.delete(look)
      if (left?.size === 0) looks.delete(name)
    }
  }

  /** Records the use in the background. */
  function noteUse(held: TokenDoc): void {
    const { app, user } = held
    noteTokenUse(db, held).catch((error: unknown) => log.warn({ err: error, app, user }, 'use of a token not noted'))
  }

  /** The cached holder, if no revocation can have been missed. */
  function cached(name: string): Cached | undefined {
    const sinceMS = revocations.heardSinceMS()
    if (sinceMS === undefined) return undefined
    const entry = cache.get(name)
    const isCertain = entry && entry.askedAtMS >= sinceMS && entry.held.expiresAt.getTime() > clock.now()
    return isCertain ? entry : undefined
  }

  function refresh(app: string, tokenDigest: string): void {
    if (looks.has(key(app, tokenDigest))) return
    // If this fails, the next caller without a cached holder gets the error.
    lookUp(app, tokenDigest).catch((error: unknown) => log.warn({ err: error, app }, 'token not read again'))
  }

  return {
    async find(app, tokenDigest) {
      const hit = cached(key(app, tokenDigest))
      if (!hit) return lookUp(app, tokenDigest)
      if (performance.now() > hit.askedAtMS + cacheTokenMS / 2) refresh(app, tokenDigest)
      return hit.held
    },
    stop: () => revocations.stop(),
  }
}
