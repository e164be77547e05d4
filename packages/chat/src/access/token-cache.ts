import { clock } from '@parley/async/clock'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import type { TokenDoc } from '@parley/db/users/documents'
import { findToken, recordTokenUse } from '@parley/db/users/tokens'
import { type CacheParts, createLeasedCache } from '../leased-cache.ts'

const maxTokens = 50_000

export type FindToken = (app: string, tokenDigest: string) => Promise<TokenDoc | null>

/** Caches token holders. Each read of a token records its use in the background. */
export function createTokenCache({ db, log, cacheLease }: CacheParts & { db: Db }): FindToken {
  const cache = createLeasedCache<TokenDoc | null>(cacheLease, maxTokens, (error) =>
    log.warn({ err: error }, 'token not read again'),
  )
  cacheLease?.onStale((app, command) => {
    if (command.do === 'appDeleted') cache.forgetAll()
    if (command.do === 'revoked') for (const token of command.tokens) cache.forget(key(app, token))
  })

  async function read(app: string, tokenDigest: string): Promise<TokenDoc | null> {
    const held = await findToken(db, app, tokenDigest)
    if (!held) return null
    const { user } = held
    recordTokenUse(db, held).catch((error: unknown) =>
      log.warn({ err: error, app, user }, 'use of a token not recorded'),
    )
    return held
  }

  return async (app, tokenDigest) => {
    const held = await cache.get(key(app, tokenDigest), () => read(app, tokenDigest))
    return !held || held.expiresAt.getTime() > clock.now() ? held : read(app, tokenDigest)
  }
}
