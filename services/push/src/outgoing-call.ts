import { Webhook } from 'standardwebhooks'
import { type Dispatcher, request } from 'undici'
import { TargetRefused } from './guarded-agent.ts'
import { connectionReason, retryAfterMS } from './network.ts'

export interface SignedCall {
  url: string
  /** webhook-id: the same on every try. */
  id: string
  /** Of the app, `whsec_…`. */
  secret: string
  body: string
}

export type CallOutcome =
  | { as: 'done'; answer: string }
  /** `afterMS` where the server asked for that. */
  | { as: 'again'; reason: string; afterMS?: number }
  /** It would never be taken. */
  | { as: 'refused'; reason: string }

/**
 * One try of a call, signed by the Standard Webhooks scheme (standardwebhooks.com). Never fails: network errors, time
 * over, 429 and 5xx are to be tried again, other answers than 2xx are not.
 */
export async function callOnce(dispatcher: Dispatcher, timeoutMS: number, call: SignedCall): Promise<CallOutcome> {
  const at = new Date()
  try {
    const { statusCode, headers, body } = await request(call.url, {
      method: 'POST',
      dispatcher,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Parley',
        'webhook-id': call.id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(call.secret).sign(call.id, at, call.body),
      },
      body: call.body,
      signal: AbortSignal.timeout(timeoutMS),
    })
    const answer = await body.text()
    if (statusCode >= 200 && statusCode < 300) return { as: 'done', answer }
    const reason = String(statusCode)
    if (statusCode !== 429 && statusCode < 500) return { as: 'refused', reason }
    const afterMS = retryAfterMS(headers['retry-after'])
    return { as: 'again', reason, ...(afterMS !== undefined && { afterMS }) }
  } catch (error) {
    for (let at_ = error; at_ instanceof Error; at_ = at_.cause) {
      if (at_ instanceof TargetRefused) return { as: 'refused', reason: 'private target' }
    }
    return { as: 'again', reason: connectionReason(error) }
  }
}
