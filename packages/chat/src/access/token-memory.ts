import { clock } from '@parley/async/clock'
import type { Bus } from '@parley/bus/connect'
import { hearRevocations } from '@parley/bus/control/revocations'
import type { ControlOrder } from '@parley/contracts/bus/control'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import type { TokenDoc } from '@parley/db/users/documents'
import { findToken } from '@parley/db/users/tokens'
import { LRUCache } from 'lru-cache'
import type { Log } from '../ports.ts'

/** A token is believed for this long after it was read. */
const rememberTokenMS = 2_000
/**
 * Processes that cannot notify the gateways of a token's end wait this long. Longer than the cache's lifetime, since
 * timers run on a coarser clock.
 */
export const tokenForgottenAfterMS = rememberTokenMS + 500
const mostTokens = 50_000

/** Finds the unexpired holder of a token. */
export type FindToken = (app: string, tokenDigest: string) => Promise<TokenDoc | null>

export interface TokenMemory {
  find: FindToken
  stop(): void
}

interface Remembered {
  held: TokenDoc
  /** When the database was asked. */
  askedAtMS: number
}

/** A look at the database, which a revocation may overtake. */
interface Look {
  isStale: boolean
}

/**
 * Caches token holders while revocations are certain to be heard: every gateway confirms the end of a token before it
 * is acknowledged. A token in use is refreshed in the background.
 * @param gateway its unique name
 */
export function createTokenMemory({ db, log }: { db: Db; log: Log }, bus: Bus, gateway: string): TokenMemory {
  const known = new LRUCache<string, Remembered>({ max: mostTokens, ttl: rememberTokenMS })
  const looks = new Map<string, Set<Look>>()
  const revocations = hearRevocations(bus, gateway, forget, (error) =>
    log.warn({ err: error }, 'gateway not announced: it does not remember tokens meanwhile'),
  )

  function forget(app: string, order: ControlOrder): void {
    if (order.do === 'appDeleted') {
      known.clear()
      for (const name of looks.keys()) overtake(name)
    }
    if (order.do !== 'revoked') return
    for (const tokenDigest of order.tokens) {
      known.delete(key(app, tokenDigest))
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
      const isCertain = sinceMS !== undefined && sinceMS === revocations.heardSinceMS() && !look.isStale
      if (!held) known.delete(name)
      else if (isCertain) known.set(name, { held, askedAtMS }, { start: askedAtMS })
      return held
    } finally {
      const left = looks.get(name)
      left?.delete(look)
      if (left?.size === 0) looks.delete(name)
    }
  }

  /** The cached holder, if it is certain now. */
  function recall(name: string): Remembered | undefined {
    const sinceMS = revocations.heardSinceMS()
    if (sinceMS === undefined) return undefined
    const remembered = known.get(name)
    const isCertain = remembered && remembered.askedAtMS >= sinceMS && remembered.held.expiresAt.getTime() > clock.now()
    return isCertain ? remembered : undefined
  }

  function refresh(app: string, tokenDigest: string): void {
    if (looks.has(key(app, tokenDigest))) return
    // The next caller, without a cached holder, gets the error.
    lookUp(app, tokenDigest).catch((error: unknown) => log.warn({ err: error, app }, 'token not read again'))
  }

  return {
    async find(app, tokenDigest) {
      const remembered = recall(key(app, tokenDigest))
      if (!remembered) return lookUp(app, tokenDigest)
      if (performance.now() > remembered.askedAtMS + rememberTokenMS / 2) refresh(app, tokenDigest)
      return remembered.held
    },
    stop: () => revocations.stop(),
  }
}
