import { unescape } from 'node:querystring'
import { clock } from '@parley/async/clock'
import type { HookCalls } from '@parley/chat/ports'
import type { AppFigures } from '@parley/presence/app-figures'
import { moderationField } from '@parley/presence/moderation-figures'
import type { Metrics } from '@parley/service/metrics'
import { Webhook } from 'standardwebhooks'
import { request } from 'undici'
import { createGuardedAgent, type PrivateTargets } from './guarded-agent.ts'

/** Per server. Calls in flight are limited per app, so this is no real limit. */
const connections = 1_000

/** Calls MODERATE and directory servers, and fetches issuers' keys, without retries. Counts MODERATE's outcomes. */
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
  /** The webhook-id, the same for every try. */
  id: string
  /** The app's secrets, `whsec_…`. Each adds a signature. */
  secrets: readonly string[]
  body: string
}

/**
 * The headers of a call, signed as in Standard Webhooks (standardwebhooks.com). Credentials in the URL are sent as
 * `Basic` authorization (RFC 7617), since undici ignores them.
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
