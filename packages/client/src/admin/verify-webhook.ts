import { Webhook } from 'standardwebhooks'
import type { PushCall, WebhookCall } from '../generated/types.ts'
import { ParleyError } from '../parley-error.ts'

export interface SignedRequest {
  /** The webhook secret of your app, `whsec_…`. */
  secret: string
  /** The headers of the request: of `fetch`, or of Node.js. */
  headers: Headers | Record<string, string | string[] | undefined>
  /** The body as it arrived: parsed and written again, its signature would differ. */
  body: string
}

/**
 * The body of a call to a room's webhook, if Parley signed it within the last five minutes
 * (docs/reference/push.md#room-webhooks).
 * @throws ParleyError INVALID_SIGNATURE: respond with 401
 */
export const verifyWebhook = (request: SignedRequest): WebhookCall => verified(request) as WebhookCall

/**
 * The same for a call to PUSH_GENERIC (docs/reference/push.md#your-own-push-backend).
 * @throws ParleyError INVALID_SIGNATURE
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
