import { clock } from '@parley/async/clock'
import { importPKCS8, SignJWT } from 'jose'
import { type Dispatcher, request } from 'undici'
import { z } from 'zod'
import type { ServiceAccount } from '../settings.ts'

const scope = 'https://www.googleapis.com/auth/firebase.messaging'
/** A token that ends sooner than this is no longer used. */
const spareMS = 5 * 60 * 1_000
const granted = z.object({ access_token: z.string(), expires_in: z.number() })

/** Google did not issue a token: `isRefusal` when our credentials are at fault, else it can be retried. */
export class NoAccessToken extends Error {
  override name = 'NoAccessToken'
  readonly isRefusal: boolean

  constructor(message: string, isRefusal: boolean, options?: ErrorOptions) {
    super(message, options)
    this.isRefusal = isRefusal
  }
}

export interface AccessTokens {
  /** A token that is valid for some minutes at least. @throws NoAccessToken */
  get(): Promise<string>
  /** This token was refused: it is not used again. */
  forget(token: string): void
}

/** Access tokens for a service account: a signed assertion is exchanged at its token_uri (RFC 7523). */
export function createAccessTokens(account: ServiceAccount, dispatcher: Dispatcher, timeoutMS: number): AccessTokens {
  let current: { token: string; untilMS: number } | undefined
  let asking: Promise<string> | undefined

  async function ask(): Promise<string> {
    const { client_email, private_key, token_uri } = account
    const assertion = await new SignJWT({ scope })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(client_email)
      .setAudience(token_uri)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(await importPKCS8(private_key, 'RS256'))
    const grant = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion })
    const { statusCode, body } = await request(token_uri, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: grant.toString(),
      dispatcher,
      signal: AbortSignal.timeout(timeoutMS),
    })
    const text = await body.text()
    if (statusCode !== 200) {
      const isRefusal = statusCode >= 400 && statusCode < 500 && statusCode !== 429
      throw new NoAccessToken(`${token_uri} answered ${statusCode}`, isRefusal)
    }
    const { access_token, expires_in } = granted.parse(JSON.parse(text))
    current = { token: access_token, untilMS: clock.now() + expires_in * 1_000 - spareMS }
    return access_token
  }

  return {
    async get() {
      if (current && current.untilMS > clock.now()) return current.token
      asking ??= ask()
        .catch((error: Error) => {
          throw error instanceof NoAccessToken ? error : new NoAccessToken('no access token', false, { cause: error })
        })
        .finally(() => {
          asking = undefined
        })
      return asking
    },
    forget(token) {
      if (current?.token === token) current = undefined
    },
  }
}
