import { clock } from '@parley/async/clock'
import { defined } from '@parley/contracts/defined'
import { ApiError } from '@parley/contracts/errors'
import { userId } from '@parley/contracts/ids'
import { tokenIdOfIssuer } from '@parley/contracts/operations/access/tokens'
import { deviceOfToken } from '@parley/contracts/operations/users/users'
import {
  longestLoginDays,
  publicKeyAlgorithms,
  secretAlgorithms,
  type TokenIssuer,
  tokenIssuers,
  tokenIssuersKey,
  tokenSkewS,
} from '@parley/contracts/resources/token-issuer'
import { findConfigValue } from '@parley/db/apps/config'
import type { Db } from '@parley/db/connect'
import type { TokenDoc } from '@parley/db/users/documents'
import { decodeJwt, errors, importSPKI, type JWTPayload } from 'jose'
import type { HookParts } from '../integrations/app-hooks.ts'
import { cacheByApp, checkConfigValue } from '../integrations/config-values.ts'
import { createIssuerKeys } from './issuer-keys.ts'
import { isSignedForm } from './new-token.ts'

/** As long as a request header may be. */
const maxChars = 8_192

/** A verified login by an issuer of the app. */
export interface OwnLogin {
  user: string
  name?: string
  picture?: string
  device?: string
  issuerId: string
  /** Token ID assigned by the issuer. */
  jti?: string
  issuedAt: Date
  /** Includes the allowance for clock skew. */
  expiresAt: Date
  createUsers: boolean
}

type KnownIssuer = TokenIssuer & { id: string }

export interface TokenIssuers {
  /** Verifies a token; undefined if it names no issuer of the app. @throws ApiError INVALID_TOKEN */
  verify(app: string, token: string): Promise<OwnLogin | undefined>
  /** Whether the issuer of an admitted token was not removed since. Always true for tokens issued by Parley. */
  isTrusted(token: Pick<TokenDoc, 'app' | 'login'>): Promise<boolean>
}

export function createTokenIssuers({ db, log, cacheLease, calls }: HookParts): TokenIssuers {
  const keys = createIssuerKeys({ calls, log })
  const issuersOf = cacheByApp({ log, cacheLease }, tokenIssuersKey, (app) => readIssuers(db, app))

  return {
    async verify(app, token) {
      if (token.length > maxChars || !isSignedForm(token)) return undefined
      const all = await issuersOf(app)
      const { iss } = all.length > 0 ? claimsOf(token) : {}
      const issuer = all.find((one) => one.issuer === iss)
      if (!issuer) return undefined
      try {
        const payload = await keys.verify(token, issuer, {
          issuer: issuer.issuer,
          audience: issuer.audience,
          algorithms: algorithmsOf(issuer),
          clockTolerance: tokenSkewS,
          requiredClaims: ['exp', 'iat'],
          currentDate: clock.date(),
        })
        return toLogin(payload, issuer)
      } catch (error) {
        if (error instanceof ApiError) throw error
        throw new ApiError('INVALID_TOKEN', `the token is refused: ${reasonOf(error)}`, { cause: error })
      }
    },
    async isTrusted({ app, login }) {
      return login === undefined || (await issuersOf(app)).some(({ id }) => id === login.issuerId)
    },
  }
}

async function readIssuers(db: Db, app: string): Promise<KnownIssuer[]> {
  const { json, issuers = [] } = (await findConfigValue(db, app, tokenIssuersKey)) ?? { json: 'null' }
  const ids = new Map(issuers.map(({ issuer, id }) => [issuer, id]))
  const configured = tokenIssuers.safeParse(JSON.parse(json)).data ?? []
  return configured.map((one) => Object.assign(one, { id: ids.get(one.issuer) ?? '' }))
}

/** @throws ApiError INVALID_BODY if an issuer's public key does not fit its algorithm; null means no issuers */
export async function checkPublicKeys(value: unknown): Promise<void> {
  const issuers = checkConfigValue(tokenIssuersKey, tokenIssuers, value) ?? []
  for (const [i, issuer] of issuers.entries()) {
    if (!('publicKey' in issuer)) continue
    await importSPKI(issuer.publicKey, issuer.algorithm).catch((cause: unknown) => {
      const message = `${tokenIssuersKey}.${i}.publicKey: no public key for ${issuer.algorithm}`
      throw new ApiError('INVALID_BODY', message, { cause })
    })
  }
}

/** The allowed algorithms: that of the configured key, or any for a key set, whose keys name their own. */
function algorithmsOf(issuer: TokenIssuer): string[] {
  if ('jwksUrl' in issuer) return [...publicKeyAlgorithms]
  const known: readonly string[] = 'secret' in issuer ? secretAlgorithms : publicKeyAlgorithms
  return known.filter((one) => one === issuer.algorithm)
}

/** The claims of a token, not yet verified. */
function claimsOf(token: string): JWTPayload {
  try {
    return decodeJwt(token)
  } catch (error) {
    if (error instanceof errors.JWTInvalid) return {}
    throw error
  }
}

function toLogin(payload: JWTPayload, { id: issuerId, claims, createUsers }: KnownIssuer): OwnLogin {
  const { iat = 0, exp = 0, jti } = payload
  const nowS = clock.now() / 1_000
  if (iat > nowS + tokenSkewS) throw refused('iat: issued in the future')
  // A time that no date can hold would be later than every revocation.
  if (iat < 0) throw refused('iat: issued before 1970')
  // By the time of issue, so that a token cannot outlast the memory of its revocation.
  if (exp > iat + longestLoginDays * 86_400) throw refused(`exp: more than ${longestLoginDays} days after iat`)
  const user = userId.safeParse(claimAt(payload, claims.user))
  if (!user.success) throw refused(`${claims.user}: no user ID`)
  const [name, picture] = [claims.name, claims.picture].map((claim) => textAt(payload, claim))
  // Only an ID that a revocation can name.
  const device = deviceOfToken.nullish().safeParse(claims.device && claimAt(payload, claims.device))
  if (!device.success) throw refused(`${claims.device}: no device ID`)
  if (jti !== undefined && !tokenIdOfIssuer.safeParse(jti).success) {
    throw refused('jti: expected a string of 1 to 1000 characters')
  }
  return {
    ...{ user: user.data, issuerId },
    ...defined({ name, picture, jti, device: device.data ?? undefined }),
    issuedAt: new Date(iat * 1_000),
    expiresAt: new Date((exp + tokenSkewS) * 1_000),
    createUsers,
  }
}

/** A claim with this exact name, otherwise the nested claim that `a.b` names. */
function claimAt(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name]
  return name.split('.').reduce<unknown>((value, part) => {
    const isInside = typeof value === 'object' && value !== null && Object.hasOwn(value, part)
    return isInside ? (value as Record<string, unknown>)[part] : undefined
  }, payload)
}

function textAt(payload: JWTPayload, name: string): string | undefined {
  const value = claimAt(payload, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function refused(reason: string): ApiError {
  return new ApiError('INVALID_TOKEN', `the token is refused: ${reason}`)
}

/** Names the invalid field, without any content of the token. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'exp: expired'
  if (error instanceof errors.JWTClaimValidationFailed) return `${error.claim}: ${error.reason}`
  if (error instanceof errors.JOSEAlgNotAllowed) return 'alg: not the algorithm of the key'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'the signature is wrong'
  return 'no key of its issuer fits'
}
