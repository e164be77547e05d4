import { unescape } from 'node:querystring'
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

/**
 * The headers of a call, signed by the Standard Webhooks scheme (standardwebhooks.com). A user and password in its URL become
 * the Authorization `Basic` (RFC 7617), which undici leaves out.
 */
export function signedHeaders({ url, id, secrets, body }: SignedCall, at: Date): Record<string, string> {
  const { username, password } = new URL(url)
  const credentials = Buffer.from(`${unescape(username)}:${unescape(password)}`).toString('base64')
  return {
    ...((username !== '' || password !== '') && { authorization: `Basic ${credentials}` }),
    'content-type': 'application/json',
    'user-agent': 'Parley',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  }
}
