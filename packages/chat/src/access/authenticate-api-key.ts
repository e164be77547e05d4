import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import { digest, findAppByApiKey, recordApiKeyUse } from '@parley/db/apps/apps'
import { findActiveSession } from '@parley/db/operators/sessions'
import { LRUCache } from 'lru-cache'
import type { Chat } from '../chat.ts'
import type { AuthenticatedIntegrator, AuthenticatedKey } from './caller.ts'
import { allowedFrom } from './key-addresses.ts'

/** No gateway accepts a revoked key after this long. Revoking waits for it. */
export const rememberApiKeyMS = 1_000
/** A gateway records the use of a key at most this often. */
const recordUseEveryMS = 60_000

/** Finds callers by their API key (docs/reference/README.md#authentication). */
export interface ApiKeyAuthentication {
  /** @throws ApiError INVALID_API_KEY */
  find(apiKey: string | undefined): Promise<AuthenticatedKey>
  /** A caller seen within the last second, without a query. */
  remembered(apiKey: string): AuthenticatedKey | undefined
}

/** Looks keys up by digest, so that timing leaks nothing about a key. */
export function createApiKeyAuthentication({ db, log }: Pick<Chat, 'db' | 'log'>): ApiKeyAuthentication {
  const known = new LRUCache<string, AuthenticatedKey>({ max: 10_000, ttl: rememberApiKeyMS })
  const lookingUp = new Map<string, { found: Promise<AuthenticatedKey>; askedAtMS: number }>()
  const recorded = new LRUCache<string, true>({ max: 10_000, ttl: recordUseEveryMS })

  function recordUse({ app, keyDigest }: AuthenticatedKey): void {
    if (recorded.has(keyDigest)) return
    recorded.set(keyDigest, true)
    recordApiKeyUse(db, keyDigest, clock.date()).catch((error: unknown) =>
      log.warn({ err: error, app }, 'use of an API key not recorded'),
    )
  }

  async function lookUp(keyDigest: string, askedAtMS: number): Promise<AuthenticatedKey> {
    const found = await findAppByApiKey(db, keyDigest)
    if (!found) throw new ApiError('INVALID_API_KEY', 'not a known API key')
    const { key } = found
    const caller = {
      kind: 'integrator',
      app: found.app._id,
      keyDigest,
      key,
      allows: allowedFrom(key.addresses),
    } as const
    // Counted from the start of the query, since the key may have been revoked before the result arrived.
    known.set(keyDigest, caller, { start: askedAtMS })
    recordUse(caller)
    return caller
  }

  /** Shares one lookup among concurrent calls for the same key, for up to `rememberApiKeyMS`. */
  function shareLookUp(keyDigest: string): Promise<AuthenticatedKey> {
    const nowMS = performance.now()
    const begun = lookingUp.get(keyDigest)
    if (begun && nowMS < begun.askedAtMS + rememberApiKeyMS) return begun.found
    const found = lookUp(keyDigest, nowMS).finally(() => {
      if (lookingUp.get(keyDigest)?.found === found) lookingUp.delete(keyDigest)
    })
    lookingUp.set(keyDigest, { found, askedAtMS: nowMS })
    return found
  }

  async function find(apiKey: string | undefined): Promise<AuthenticatedKey> {
    if (apiKey === undefined || apiKey === '') throw new ApiError('INVALID_API_KEY', 'missing')
    const keyDigest = digest(apiKey)
    return inForce(known.get(keyDigest)) ?? shareLookUp(keyDigest)
  }

  return { find, remembered: (apiKey) => inForce(known.get(digest(apiKey))) }
}

function inForce(caller: AuthenticatedKey | undefined): AuthenticatedKey | undefined {
  return caller?.key.expiresAt && caller.key.expiresAt.getTime() <= clock.now() ? undefined : caller
}

/**
 * Returns a function that rechecks a caller's API key or session, for responses that stay open. Each is queried at most
 * once a second, however many responses share it. The function throws ApiError INVALID_API_KEY or INVALID_SESSION.
 */
export function createKeyCheck({ db }: Pick<Chat, 'db'>): (caller: AuthenticatedIntegrator) => Promise<void> {
  const found = new LRUCache<string, Promise<boolean>>({ max: 10_000, ttl: rememberApiKeyMS })
  const lookUp = (caller: AuthenticatedIntegrator): Promise<unknown> =>
    'operator' in caller ? findActiveSession(db, caller.session._id) : findAppByApiKey(db, caller.keyDigest)
  return async (caller) => {
    const digest = 'operator' in caller ? caller.session._id : caller.keyDigest
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
