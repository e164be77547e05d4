import { Webhook } from 'standardwebhooks'
import type { PushCall, WebhookCall } from '../generated/types.ts'
import { ParleyError } from '../parley-error.ts'

export interface SignedRequest {
  /** The webhook secret of your app, `whsec_…`. */
  secret: string
  /** The request headers, from `fetch` or Node.js. */
  headers: Headers | Record<string, string | string[] | undefined>
  /** The raw body. Re-serialized JSON would not match the signature. */
  body: string
}

/**
 * Returns the body of a call to a room's webhook, if Parley signed it within the last five minutes
 * (docs/reference/push.md#room-webhooks).
 * @throws ParleyError INVALID_SIGNATURE; respond with 401
 */
export const verifyWebhook = (request: SignedRequest): WebhookCall => verified(request) as WebhookCall

/**
 * Returns the body of a PUSH_GENERIC call, verified like a webhook (docs/reference/push.md#your-own-push-backend).
 * @throws ParleyError INVALID_SIGNATURE; respond with 401
 */
export const verifyPushCall = (request: SignedRequest): PushCall => verified(request) as PushCall

function verified({ secret, headers, body }: SignedRequest): unknown {
  const named = headers instanceof Headers ? Object.fromEntries(headers) : headers
  const only = Object.fromEntries(
    Object.entries(named).map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value[0] : value]),
  )
  try {
    return new Webhook(secret).verify(body, only as Record<string, string>)
  } catch (error) {
    throw new ParleyError('INVALID_SIGNATURE', (error as Error).message, 401, undefined, { cause: error })
  }
}
