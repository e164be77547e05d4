import { unescape } from 'node:querystring'
import { clock } from '@parley/async/clock'
import type { HookCalls } from '@parley/chat/ports'
import type { AppFigures } from '@parley/presence/app-figures'
import { moderationField } from '@parley/presence/moderation-figures'
import type { Metrics } from '@parley/service/metrics'
import { Webhook } from 'standardwebhooks'
import { request } from 'undici'
import { createGuardedAgent, type PrivateTargets } from './guarded-agent.ts'

/** How many are on their way is bounded by app, so no server needs to be. */
const connections = 1_000

/** Makes the calls of MODERATE and directory and reads the keys of token issuers, one try each, and counts the outcomes of MODERATE. */
export function createHookCalls(
  { timeoutMS, allowPrivateTargets }: { timeoutMS: number; allowPrivateTargets: PrivateTargets },
  metrics: Pick<Metrics, 'histogram'>,
  figures?: Pick<AppFigures, 'add'>,
): HookCalls & { close(): Promise<void> } {
  const dispatcher = createGuardedAgent({ allowPrivate: allowPrivateTargets, timeoutMS, connections })
  const took = metrics.histogram(
    'parley_moderation_seconds',
    'What servers of apps said about messages (MODERATE), and how long that took',
    [0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1],
    ['action'],
  )
  return {
    async call(call) {
      const { statusCode, body } = await request(call.url, {
        method: 'POST',
        dispatcher,
        headers: signedHeaders(call, clock.date()),
        body: call.body,
        signal: AbortSignal.timeout(timeoutMS),
      })
      const text = await body.text()
      if (statusCode < 200 || statusCode > 299) throw new Error(`status ${statusCode}`)
      return text
    },
    async get(url) {
      const { statusCode, body } = await request(url, { dispatcher, signal: AbortSignal.timeout(timeoutMS) })
      const text = await body.text()
      if (statusCode !== 200) throw new Error(`status ${statusCode}`)
      return text
    },
    answered(app, action, seconds) {
      took.observe({ action }, seconds)
      figures?.add(app, moderationField(action, seconds))
    },
    close: () => dispatcher.destroy(),
  }
}

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
