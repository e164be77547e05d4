import { Webhook } from 'standardwebhooks'

/** A call to an integrator's server. */
export interface SignedCall {
  url: string
  /** webhook-id: the same on every try. */
  id: string
  /** The app's secrets, `whsec_…`: each signs. */
  secrets: readonly string[]
  body: string
}

/** The headers of a call, signed by the Standard Webhooks scheme (standardwebhooks.com). */
export function signedHeaders({ id, secrets, body }: Omit<SignedCall, 'url'>, at: Date): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Parley',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  }
}
