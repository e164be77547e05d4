import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import { publicKeyAlgorithms, type TokenIssuer } from '@parley/contracts/resources/token-issuer'
import {
  type CryptoKey,
  createLocalJWKSet,
  errors,
  importSPKI,
  type JWK,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import { LRUCache } from 'lru-cache'
import type { HookCalls, Log } from '../ports.ts'

/** Keys in use are read again after this long. */
const refreshAfterMS = 10 * 60_000
/** Minimum interval between reads caused by tokens that fit no known key, since anyone can send such a token for free. */
const unknownEveryMS = 30_000
/** Backoff after a failed read, doubled each time. */
const firstPauseMS = 1_000
const longestPauseMS = 60_000
/** Known keys stay valid for this long while their address fails. */
const staleForMS = 24 * 3_600_000
const maxAddresses = 1_000
const maxKeys = 100

type Keys = ReturnType<typeof createLocalJWKSet>

interface KeySet {
  keys?: Keys
  readAtMS: number
  triedAtMS: number
  failures: number
  reading?: Promise<void>
}

/** Verifies tokens with the keys that issuers sign with. */
interface IssuerKeys {
  /** @throws if the token is invalid; ApiError SERVICE_UNAVAILABLE if that may be because the keys' address is away */
  verify(token: string, issuer: TokenIssuer, options?: JWTVerifyOptions): Promise<JWTPayload>
}

/**
 * Reads public keys from the issuers' addresses (RFC 7517), which must be public. A rotated key is found with its first
 * token, also under the ID of the key before.
 */
export function createIssuerKeys({ calls, log }: { calls: Pick<HookCalls, 'get'>; log: Log }): IssuerKeys {
  const sets = new LRUCache<string, KeySet>({
    max: maxAddresses,
    memoMethod: () => ({ readAtMS: Number.NEGATIVE_INFINITY, triedAtMS: Number.NEGATIVE_INFINITY, failures: 0 }),
  })

  /** Settles when the keys are fresh enough, or cannot be read now. */
  async function read(url: string, algorithm: string, set: KeySet, oldestMS: number): Promise<void> {
    if (set.reading) return set.reading
    const nowMS = clock.now()
    if (set.readAtMS > nowMS - oldestMS) return
    const pauseMS = set.failures === 0 ? 0 : Math.min(longestPauseMS, firstPauseMS * 2 ** (set.failures - 1))
    if (nowMS - set.triedAtMS < pauseMS) return
    set.triedAtMS = nowMS
    set.reading = readNow(url, algorithm, set).finally(() => {
      delete set.reading
    })
    return set.reading
  }

  async function readNow(url: string, algorithm: string, set: KeySet): Promise<void> {
    try {
      set.keys = createLocalJWKSet({ keys: fitKeys(JSON.parse(await calls.get(url)), algorithm) })
      set.readAtMS = clock.now()
      set.failures = 0
    } catch (error) {
      set.failures++
      log.warn({ err: error, server: new URL(url).origin }, 'keys of a token issuer not read')
    }
  }

  /** @param isRenewed whether the key was replaced under its ID, as far as a wrong signature tells */
  function keyOf(issuer: TokenIssuer, isRenewed: boolean): JWTVerifyGetKey {
    if ('secret' in issuer) return () => new TextEncoder().encode(issuer.secret)
    if ('publicKey' in issuer) return () => importSPKI(issuer.publicKey, issuer.algorithm)
    const { jwksUrl: url, algorithm } = issuer
    return async (header, token) => {
      const set = sets.memo(`${algorithm} ${url}`)
      await read(url, algorithm, set, refreshAfterMS)
      const known = isRenewed ? undefined : await keyIn(set, header, token)
      if (known) return known
      await read(url, algorithm, set, unknownEveryMS)
      const found = isRenewed && set.failures > 0 ? undefined : await keyIn(set, header, token)
      if (found) return found
      // The token may be valid. On 401 a client would keep asking its login for another one.
      if (set.failures > 0)
        throw new ApiError('SERVICE_UNAVAILABLE', 'the keys of the issuer could not be read; try again')
      throw new Error('no key of the issuer fits the token')
    }
  }

  return {
    async verify(token, issuer, options) {
      const verifyWith = async (isRenewed: boolean) => {
        try {
          return (await jwtVerify(token, keyOf(issuer, isRenewed), options)).payload
        } catch (error) {
          if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
          return verifyWithAny(error, (key) => jwtVerify(token, key, options))
        }
      }
      return verifyWith(false).catch((error: unknown) => {
        if (!('jwksUrl' in issuer && error instanceof errors.JWSSignatureVerificationFailed)) throw error
        return verifyWith(true)
      })
    },
  }

  async function keyIn(set: KeySet, ...of: Parameters<JWTVerifyGetKey>) {
    if (!areKnown(set)) return undefined
    try {
      return await set.keys(...of)
    } catch (error) {
      if (error instanceof errors.JWKSMultipleMatchingKeys) throw error
      return undefined
    }
  }
}

/** Tries each key that a token without a key ID fits, as during a rotation (RFC 7515, 4.1.4: `kid` is optional). */
async function verifyWithAny(
  keys: AsyncIterable<CryptoKey>,
  verify: (key: CryptoKey) => Promise<{ payload: JWTPayload }>,
): Promise<JWTPayload> {
  let refusal: unknown
  for await (const key of keys) {
    try {
      return (await verify(key)).payload
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
      refusal = error
    }
  }
  throw refusal
}

function areKnown(set: KeySet): set is KeySet & Required<Pick<KeySet, 'keys'>> {
  return set.keys !== undefined && set.readAtMS >= clock.now() - staleForMS
}

/** The signing keys, each with its own algorithm or that of the issuer. */
function fitKeys(document: unknown, algorithm: string): JWK[] {
  const { keys } = document as { keys?: unknown }
  if (!Array.isArray(keys) || keys.length > maxKeys) throw new Error('not a list of at most 100 keys (RFC 7517)')
  return (keys as JWK[])
    .filter(({ kty, use }) => (kty === 'RSA' || kty === 'EC' || kty === 'OKP') && (use === undefined || use === 'sig'))
    .map((key) => Object.assign(key, { alg: key.alg ?? algorithm }))
    .filter(({ alg }) => publicKeyAlgorithms.some((one) => one === alg))
}
