import { hash } from 'node:crypto'
import { clock } from '@parley/async/clock'
import type { Db } from '@parley/db/connect'
import type { PushDoc } from '@parley/db/push/documents'
import { deviceOf } from '@parley/db/push/pushes'
import { createGuardedAgent, isTargetRefused, type PrivateTargets } from '@parley/wiring/guarded-agent'
import { signedHeaders } from '@parley/wiring/hook-calls'
import { request } from 'undici'
import { createSigningSecrets } from '../signing-secrets.ts'
import { devicePayload } from './device-payload.ts'
import { connectionReason, type Network, type PushAnswer, type PushContent, retryAfterMS } from './network.ts'

interface RelayOptions {
  db: Db
  url: string
  allowPrivate: PrivateTargets
  timeoutMS: number
  concurrency: number
}

/** Most networks accept 4 KB; this leaves room for the relay's additions. */
const maxBytes = 3_600

/** The operator's own server, which forwards pushes: one signed POST per device (docs/reference/push.md#a-relay). */
export function createRelay({ db, url, allowPrivate, timeoutMS, concurrency }: RelayOptions): Network {
  const agent = createGuardedAgent({ allowPrivate, timeoutMS, connections: concurrency })
  const signing = createSigningSecrets(db)

  async function post(push: PushDoc, content: PushContent): Promise<PushAnswer> {
    const secrets = await signing.of(push.app)
    if (secrets.length === 0) return { as: 'refused', reason: 'NoApp', isOurs: true }
    const { app, user, token } = push
    const about = { appID: app, clientID: user, deviceId: deviceOf(push), token }
    const body = JSON.stringify({ ...about, push: devicePayload(push, content, maxBytes) })
    // The same on every attempt, so that a relay can deduplicate.
    const id = `push_${hash('sha256', push._id).slice(0, 32)}`
    const answer = await request(url, {
      method: 'POST',
      dispatcher: agent,
      headers: signedHeaders({ url, id, secrets, body }, clock.date()),
      body,
      signal: AbortSignal.timeout(timeoutMS),
    })
    await answer.body.dump()
    return answerOf(answer.statusCode, retryAfterMS(answer.headers['retry-after']))
  }

  return {
    async send(push, content) {
      try {
        return await post(push, content)
      } catch (error) {
        if (isTargetRefused(error)) return { as: 'credentials', reason: 'private target' }
        return { as: 'again', reason: connectionReason(error) }
      }
    },
    close: () => agent.destroy(),
  }
}

function answerOf(status: number, afterMS: number | undefined): PushAnswer {
  const reason = String(status)
  if (status >= 200 && status < 300) return { as: 'sent' }
  if (status === 410) return { as: 'doubtful', reason, proven: 'dead' }
  // The relay may not know the app's secret, or the URL may be wrong.
  if (status === 401 || status === 403 || status === 404) return { as: 'doubtful', reason, proven: 'refused' }
  if (status === 429 || status >= 500) return { as: 'again', reason, ...(afterMS !== undefined && { afterMS }) }
  return { as: 'refused', reason }
}
