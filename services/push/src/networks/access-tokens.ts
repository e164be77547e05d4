import { clock } from '@parley/async/clock'
import { type Dispatcher, request } from 'undici'
import { z } from 'zod'
import { connectionReason, type PushAnswer, retryAfterMS } from './network.ts'

/** Tokens that expire sooner are not used. */
const spareMS = 5 * 60 * 1_000
const granted = z.object({ access_token: z.string(), expires_in: z.number() })

/** No token was issued. `isRefusal`: our credentials are at fault; otherwise it can be retried. */
class NoAccessToken extends Error {
  override name = 'NoAccessToken'
  readonly isRefusal: boolean

  constructor(message: string, isRefusal: boolean, options?: ErrorOptions) {
    super(message, options)
    this.isRefusal = isRefusal
  }
}

export interface Grant {
  tokenUrl: string
  /** The form of a request for a token (RFC 6749, 4). */
  form: () => URLSearchParams | Promise<URLSearchParams>
}

/** OAuth 2.0 access tokens, each used until shortly before it expires. */
function createAccessTokens({ tokenUrl, form }: Grant, dispatcher: Dispatcher, timeoutMS: number) {
  let current: { token: string; untilMS: number } | undefined
  let asking: Promise<string> | undefined

  async function ask(): Promise<string> {
    const grant = await form()
    const { statusCode, body } = await request(tokenUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: grant.toString(),
      dispatcher,
      signal: AbortSignal.timeout(timeoutMS),
    })
    const text = await body.text()
    if (statusCode !== 200) {
      const isRefusal = statusCode >= 400 && statusCode < 500 && statusCode !== 429
      throw new NoAccessToken(`${tokenUrl} answered ${statusCode}`, isRefusal)
    }
    const { access_token, expires_in } = granted.parse(JSON.parse(text))
    current = { token: access_token, untilMS: clock.now() + expires_in * 1_000 - spareMS }
    return access_token
  }

  return {
    /** A token that is valid for at least some minutes. @throws NoAccessToken */
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
    /** This token was refused: it is not used again. */
    forget(token: string) {
      if (current?.token === token) current = undefined
    },
  }
}

interface TokenSenderOptions {
  grant: Grant
  endpoint: string
  dispatcher: Dispatcher
  timeoutMS: number
  answerOf: (status: number, text: string, afterMS: number | undefined) => PushAnswer | 'token refused'
}

/**
 * Returns a function that posts a message as JSON with a token. If the token is refused, it may have been revoked: it retries
 * once with a new one. Never throws.
 */
export function createTokenSender({ grant, endpoint, dispatcher, timeoutMS, answerOf }: TokenSenderOptions) {
  const tokens = createAccessTokens(grant, dispatcher, timeoutMS)

  async function post(token: string, message: object): Promise<PushAnswer | 'token refused'> {
    const { statusCode, headers, body } = await request(endpoint, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(message),
      dispatcher,
      signal: AbortSignal.timeout(timeoutMS),
    })
    return answerOf(statusCode, await body.text(), retryAfterMS(headers['retry-after']))
  }

  return async (message: () => object): Promise<PushAnswer> => {
    try {
      const token = await tokens.get()
      const first = await post(token, message())
      if (first !== 'token refused') return first
      tokens.forget(token)
      const second = await post(await tokens.get(), message())
      return second === 'token refused' ? { as: 'credentials', reason: 'UNAUTHENTICATED' } : second
    } catch (error) {
      if (error instanceof NoAccessToken) {
        return { as: error.isRefusal ? 'credentials' : 'again', reason: 'no access token' }
      }
      return { as: 'again', reason: connectionReason(error) }
    }
  }
}
